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
install(CODE "
  execute_process(COMMAND ${CMAKE_STRIP}
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/sluice\"
    COMMAND_ERROR_IS_FATAL ANY)")
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
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
# Everything but the C library is inside the program.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36)")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "slurm-client, prometheus")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/deb/postinst
  ${CMAKE_SOURCE_DIR}/packaging/deb/prerm ${CMAKE_SOURCE_DIR}/packaging/deb/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
