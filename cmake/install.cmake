# What `make install` and the Debian package put where: the program without its symbols, man pages
# and completions that the program itself writes, systemd units, policies to start from.
include(GNUInstallDirs)

set(made ${CMAKE_BINARY_DIR}/made)
# Written by the program at install time, so a plain build does not wait for them.
install(CODE "
  file(REMOVE_RECURSE ${made})
  file(MAKE_DIRECTORY ${made}/completions)
  execute_process(COMMAND $<TARGET_FILE:sluice> manual ${made}/man COMMAND_ERROR_IS_FATAL ANY
    OUTPUT_QUIET)
  foreach(shell bash zsh fish)
    execute_process(COMMAND $<TARGET_FILE:sluice> completion \${shell}
      OUTPUT_FILE ${made}/completions/\${shell} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
install(PROGRAMS $<TARGET_FILE:sluice> DESTINATION ${CMAKE_INSTALL_BINDIR})
# The symbols lie apart, in a file that debuggers find by the link in the program.
set(symbols ${CMAKE_BINARY_DIR}/symbols/sluice.debug)
install(CODE "
  set(installed \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/sluice\")
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/symbols)
  execute_process(COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:sluice> ${symbols}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_STRIP} \"\${installed}\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_OBJCOPY} --add-gnu-debuglink=${symbols} \"\${installed}\"
    COMMAND_ERROR_IS_FATAL ANY)")
# Only the package has them; `make install` leaves them in the build folder. The component comes
# after the program's, so the file has been written by then.
install(FILES ${symbols} DESTINATION lib/debug/usr/bin COMPONENT symbols EXCLUDE_FROM_ALL)
install(DIRECTORY ${made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${made}/completions/bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME sluice)
install(FILES ${made}/completions/zsh
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _sluice)
install(FILES ${made}/completions/fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME sluice.fish)
# The units name the program where it was installed.
foreach(unit system/sluice.service user/sluice-user.service)
  get_filename_component(scope ${unit} DIRECTORY)
  get_filename_component(file ${unit} NAME)
  install(CODE "
    file(READ ${CMAKE_SOURCE_DIR}/packaging/${file} text)
    string(REPLACE /usr/bin/sluice
      \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/sluice\" text \"\${text}\")
    file(WRITE ${made}/${scope}/sluice.service \"\${text}\")")
  install(FILES ${made}/${scope}/sluice.service DESTINATION lib/systemd/${scope})
endforeach()
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/sluice/examples
  USE_SOURCE_PERMISSIONS)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/sluice)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/sluice RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sluice)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The sluice developers <sluice@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "share a Slurm cluster or one machine by written rules")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)  # Stripped at install.
# Two packages: sluice, and sluice-dbgsym for those who debug it.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified symbols)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME sluice)
set(CPACK_DEBIAN_SYMBOLS_PACKAGE_NAME sluice-dbgsym)
set(CPACK_DEBIAN_SYMBOLS_PACKAGE_SECTION debug)
set(CPACK_COMPONENT_SYMBOLS_DESCRIPTION "debug symbols of sluice")
set(CPACK_DEBIAN_SYMBOLS_PACKAGE_DEPENDS "sluice (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
# Everything but the C library is inside the program.
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS "libc6 (>= 2.36)")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS "slurm-client, prometheus")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/deb/postinst
  ${CMAKE_SOURCE_DIR}/packaging/deb/prerm ${CMAKE_SOURCE_DIR}/packaging/deb/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
