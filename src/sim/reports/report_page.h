// The page of report_html.cc: style and a script that draws the numbers between head and tail.
// No library: a few hundred steps and some thousand bars need none.
#pragma once

#include <string_view>

namespace sluice {

// clang-format off
inline constexpr std::string_view kPageHead =
    R"PAGE(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>sluice sim report</title>
<style>
:root{--bg:#f6f7f9;--card:#fff;--ink:#1c2430;--soft:#667085;--line:#e3e7ee;--warn:#fff6e0;--warnink:#7a4b00;--accent:#2563eb}
@media (prefers-color-scheme:dark){:root{--bg:#12161d;--card:#1a2029;--ink:#e6eaf1;--soft:#94a0b3;--line:#2b3442;--warn:#3a2f14;--warnink:#ffd98a;--accent:#6ea0ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1180px;margin:0 auto;padding:28px 20px 60px;overflow-wrap:anywhere}
h1{font-size:22px;margin:0 0 2px}h2{font-size:15px;margin:0 0 2px}
.sub{color:var(--soft);margin:0 0 16px}
.note{background:var(--warn);color:var(--warnink);border-radius:8px;padding:8px 14px;margin:0 0 8px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:16px 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px}
.tile b{display:block;font-size:22px;font-weight:600;letter-spacing:-.3px}
.tile span{color:var(--soft);font-size:12px}
.grid{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:14px}
.wide{grid-column:1/-1}
@media (max-width:820px){main{padding:18px 12px 40px}.grid{grid-template-columns:minmax(0,1fr)}.tiles{grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:8px}.card{padding:12px}.tile b{font-size:19px}}
.hint{color:var(--soft);font-size:12px;margin:0 0 8px}
svg,canvas{display:block;width:100%}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:4px 8px;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:500;font-size:12px}
th:first-child,td:first-child{text-align:left}
tr:last-child td{border-bottom:0}
.key{display:inline-flex;align-items:center;gap:5px;margin:0 12px 4px 0;font-size:12px;color:var(--soft)}
.key i{width:10px;height:10px;border-radius:2px;display:inline-block}
.bar{display:inline-block;height:8px;border-radius:2px;vertical-align:middle;background:var(--accent)}
.bar0{display:flex;flex-wrap:wrap;gap:6px;align-items:center;margin-top:6px}.bar0 .hint{margin:0}
.tabs{display:flex;gap:6px;margin:0 0 8px}.tabs:empty{display:none}.tabs .on{border-color:var(--accent);color:var(--accent)}
.small{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(250px,100%),1fr));gap:14px}
.scroll{overflow-x:auto}.heat :is(th,td):nth-child(n+3){text-align:center}
#tip{position:fixed;pointer-events:none;background:var(--ink);color:var(--bg);padding:4px 8px;border-radius:6px;font-size:12px;display:none;z-index:9;white-space:pre}
button{font:inherit;font-size:12px;border:1px solid var(--line);background:var(--card);color:var(--ink);border-radius:6px;padding:2px 10px;cursor:pointer}
footer{color:var(--soft);font-size:12px;margin-top:22px}
</style></head><body><main id="main"></main><div id="tip"></div>
<script>
const D=)PAGE";

inline constexpr std::string_view kPageTail =
    R"PAGE(;
const COLORS=['#2563eb','#f59e0b','#10b981','#ef4444','#8b5cf6','#06b6d4','#84cc16','#ec4899','#64748b'];
const color=i=>i<0?'#94a3b8':COLORS[i%COLORS.length];
// Accounts with the most work have colours of their own, the others share one.
const accountColor=name=>color(D.accountShares.findIndex(a=>a.name===name));
const main=document.getElementById('main'),tip=document.getElementById('tip');
const esc=s=>String(s).replace(/[&<>"]/g,c=>({'&':'&amp;','<':'&lt;','>':'&gt;','"':'&quot;'}[c]));
const num=n=>Math.round(n).toLocaleString('en-US');
const pct=x=>(100*x).toFixed(1)+' %';
function span(s){if(s<0)return'-'+span(-s);if(s>0&&s<.5)return'<1s';const u=[[86400,'d'],[3600,'h'],[60,'m'],[1,'s']];
 for(let i=0;i<3;i++){const r=Math.round(s/u[i+1][0])*u[i+1][0];if(r<u[i][0])continue;
  const a=Math.floor(r/u[i][0]),b=Math.round(r%u[i][0]/u[i+1][0]);return a+u[i][1]+(b?' '+b+u[i+1][1]:'')}
 return Math.round(s)+'s'}
const axis=s=>{const d=s/86400;return D.makespan>2*86400?'day '+(Math.floor(d)+1)+(d%1>.01?' '+String(Math.round(d%1*24)).padStart(2,'0')+':00':''):span(s)};
function el(parent,tag,cls,html){const e=document.createElement(tag);if(cls)e.className=cls;if(html!==undefined)e.innerHTML=html;parent.appendChild(e);return e}
function showTip(ev,text){tip.textContent=text;tip.style.display='block';const w=tip.offsetWidth;tip.style.left=Math.min(ev.clientX+14,innerWidth-w-8)+'px';tip.style.top=(ev.clientY+14)+'px'}
const hideTip=()=>{tip.style.display='none'};
function ticks(most,n){if(most<=0)return[0];const raw=most/n,mag=10**Math.floor(Math.log10(raw));const step=[1,2,5,10].map(x=>x*mag).find(x=>x>=raw);const out=[];for(let v=0;v<=most*1.0001;v+=step)out.push(v);return out}
// Steps of time on a scale that people read: hours, then days.
function timeTicks(total,most=8){const steps=[60,300,900,1800,3600,7200,10800,21600,43200,86400,172800,345600,604800,1209600,2592000,7776000,31536000];const step=steps.find(s=>total/s<=most)||total/most;const out=[];for(let t=0;t<=total;t+=step)out.push(t);return out}
const dayTick=t=>D.makespan>2*86400?(t%86400?span(t%86400):'day '+(t/86400+1)):span(t);
// series: [{name,values,color}]; stacked or lines; values at equal steps.
const drawn=[];
// Drawn for the width there is, so that letters stay as large as they are.
function fitted(parent,draw){const box=el(parent,'div','');box.style.minHeight='60px';const again=()=>{box.innerHTML=draw(Math.max(box.clientWidth,220))};drawn.push([box,again]);again();return box}
let width=innerWidth;window.addEventListener('resize',()=>{if(innerWidth===width)return;width=innerWidth;drawn.forEach(([box,again])=>box.isConnected&&again())});
function chart(card,series,opt){
 const H=opt.height||210,L=46,R=8,T=8,B=22;const n=series[0].values.length,total=n*D.step;
 let most=opt.most||0;const stack=new Array(n).fill(0);
 if(!opt.most){if(opt.stacked){series.forEach(s=>s.values.forEach((v,i)=>stack[i]+=v));most=Math.max(...stack)}else most=Math.max(...series.map(s=>Math.max(...s.values)))}
 most=most||1;const y=v=>T+(H-T-B)*(1-Math.min(v/most,1));
 const label=series.map(r=>r.name).join(', ')+' over time';const box=fitted(card,W=>{const x=i=>L+(W-L-R)*i/n;
 let s=`<svg viewBox="0 0 ${W} ${H}" role="img" aria-label="${esc(label)}">`;
 for(const v of ticks(most,4))s+=`<line x1="${L}" x2="${W-R}" y1="${y(v)}" y2="${y(v)}" stroke="var(--line)"/><text x="${L-6}" y="${y(v)+4}" text-anchor="end" font-size="11" fill="var(--soft)">${opt.label?opt.label(v):num(v)}</text>`;
 for(const t of timeTicks(total,Math.max(2,Math.min(8,(W-L)/58)))){const at=L+(W-L-R)*t/total;s+=`<text x="${Math.min(at,W-24)}" y="${H-6}" text-anchor="middle" font-size="11" fill="var(--soft)">${t?dayTick(t):''}</text>`}
 const base=new Array(n).fill(0);
 series.forEach(r=>{let top='',bottom='';for(let i=0;i<n;i++){const lo=opt.stacked?base[i]:0,hi=lo+r.values[i];
   top+=`${i?'L':'M'}${x(i).toFixed(1)} ${y(hi).toFixed(1)}L${x(i+1).toFixed(1)} ${y(hi).toFixed(1)}`;
   bottom=`L${x(i+1).toFixed(1)} ${y(lo).toFixed(1)}L${x(i).toFixed(1)} ${y(lo).toFixed(1)}`+bottom;base[i]=hi}
  if(opt.stacked||opt.fill)s+=`<path d="${top}${bottom}Z" fill="${r.color}" fill-opacity="${opt.stacked?.85:.16}"/>`;
  if(!opt.stacked)s+=`<path d="${top}" fill="none" stroke="${r.color}" stroke-width="1.6"/>`});
 return s+'</svg>'});
 box.onmousemove=ev=>{const b=box.getBoundingClientRect(),i=Math.floor((ev.clientX-b.left-L)/(b.width-L-R)*n);if(i<0||i>=n)return hideTip();
  showTip(ev,axis(i*D.step)+'\n'+series.map(r=>r.name+': '+(opt.tip||opt.label||(v=>v.toFixed(1)))(r.values[i])).join('\n'))};box.onmouseleave=hideTip;
 if(series.length>1||opt.legend)el(card,'div','',series.map(r=>`<span class="key"><i style="background:${r.color}"></i>${esc(r.name)}</span>`).join(''))}
function card(grid,title,hint,wide){const c=el(grid,'section','card'+(wide?' wide':''));el(c,'h2','',esc(title));el(c,'p','hint',esc(hint));return c}
function gantt(c){
 const cv=el(c,'canvas'),rows=Math.max(D.nodes.length,1),total=D.makespan||1;let from=0,to=total,first=0;
 const barColors=D.accountNames.map(accountColor),shownRows=Math.min(rows,24),H=Math.max(shownRows*Math.max(26,Math.min(150,Math.floor(320/shownRows))),150)+24;
 // Lanes inside a node: bars that overlap stand below each other.
 const byNode=D.nodes.map(()=>[]);D.bars.forEach((b,i)=>byNode[b[0]]&&byNode[b[0]].push(i));
 const lane=new Array(D.bars.length).fill(0),depth=byNode.map(list=>{const free=[];let most=0;for(const i of list){const b=D.bars[i];let k=free.findIndex(t=>t<=b[1]);if(k<0)k=free.length;free[k]=b[2];lane[i]=k;most=Math.max(most,k+1)}return Math.max(most,1)});
 function draw(){const dpr=devicePixelRatio||1,W=cv.clientWidth;cv.style.height=H+'px';cv.width=W*dpr;cv.height=H*dpr;const g=cv.getContext('2d');g.scale(dpr,dpr);
  const st=getComputedStyle(document.documentElement),soft=st.getPropertyValue('--soft'),line=st.getPropertyValue('--line');
  g.clearRect(0,0,W,H);g.font='11px system-ui';const L=64,rowH=(H-24)/shownRows,x=t=>L+(W-L)*(t-from)/(to-from);
  for(let r=0;r<shownRows;r++){const node=first+r;if(node>=rows)break;g.fillStyle=line;g.fillRect(L,r*rowH+rowH-1,W-L,1);g.fillStyle=soft;g.fillText(D.nodes[node].slice(0,9),4,r*rowH+rowH/2+4);
   const h=(rowH-3)/depth[node];
   for(const i of byNode[node]){const b=D.bars[i];if(b[2]<from||b[1]>to)continue;const a=Math.max(x(b[1]),L),e=Math.min(x(b[2]),W);g.fillStyle=barColors[b[3]];g.globalAlpha=.9;g.fillRect(a,r*rowH+1+lane[i]*h,Math.max(e-a-(e-a>4?.6:0),.7),Math.max(h-(h>4?.8:0),.6))}
   g.globalAlpha=1}
  g.fillStyle=soft;for(const t of timeTicks(to-from,Math.max(2,Math.min(8,(W-L)/80)))){const at=from+t,label=axis(at);if(x(at)+2+g.measureText(label).width<=W)g.fillText(label,x(at)+2,H-6);g.fillStyle=line;g.fillRect(x(at),0,1,H-20);g.fillStyle=soft}
  cv._hit=(px,py)=>{const r=Math.floor(py/rowH),node=first+r;if(r>=shownRows||node>=rows||px<L)return null;const t=from+(px-L)/(W-L)*(to-from),h=(rowH-3)/depth[node];return byNode[node].find(i=>D.bars[i][1]<=t&&D.bars[i][2]>=t&&Math.floor((py-r*rowH-1)/h)===lane[i])}}
 cv.onwheel=ev=>{ev.preventDefault();if(ev.shiftKey&&rows>shownRows){first=Math.max(0,Math.min(rows-shownRows,first+Math.sign(ev.deltaY||ev.deltaX)));return draw()}
  const b=cv.getBoundingClientRect();zoom(ev.deltaY<0?.8:1.25,(ev.clientX-b.left-64)/(b.width-64))};
 const zoom=(f,p)=>{const at=from+p*(to-from),w=Math.min(Math.max((to-from)*f,60),total);from=Math.max(0,Math.min(at-p*w,total-w));to=from+w;draw()};
 let drag=null;cv.onmousedown=ev=>{drag=[ev.clientX,ev.clientY,from,first]};window.addEventListener('mouseup',()=>drag=null);
 cv.onmousemove=ev=>{const b=cv.getBoundingClientRect();if(drag){hideTip();const w=to-from;from=Math.max(0,Math.min(drag[2]-(ev.clientX-drag[0])/(b.width-64)*w,total-w));to=from+w;if(rows>shownRows)first=Math.max(0,Math.min(rows-shownRows,drag[3]-Math.round((ev.clientY-drag[1])/26)));return draw()}
  const i=cv._hit(ev.clientX-b.left,ev.clientY-b.top);if(i==null)return hideTip();const k=D.bars[i];showTip(ev,`job ${k[4]}, account ${D.accountNames[k[3]]||'(default)'}\n${k[5]} CPUs${k[6]?', '+k[6]+' GPUs':''}${k[7]>1?', '+k[7]+' nodes':''}\n${axis(k[1])}, ran ${span(k[2]-k[1])}`)};
 cv.onmouseleave=hideTip;
 const bar=el(c,'div','bar0');for(const [sign,f] of [['+',.5],['−',2]]){const b=el(bar,'button','',sign);b.title=f<1?'Zoom in':'Zoom out';b.onclick=()=>zoom(f,.5)}for(const [sign,d] of [['◀',-1],['▶',1]]){const b=el(bar,'button','',sign);b.title=d<0?'Earlier':'Later';b.onclick=()=>{const w=to-from;from=Math.max(0,Math.min(from+d*w/2,total-w));to=from+w;draw()}}
 const reset=el(bar,'button','','Show all');reset.onclick=()=>{from=0;to=total;first=0;draw()};
 el(bar,'span','hint',' &nbsp;wheel: zoom, drag: move'+(rows>shownRows?', shift+wheel: other nodes':'')+(D.bars.length<D.allRuns?`. The first ${num(D.bars.length)} of ${num(D.allRuns)} runs.`:''));
 const others=D.accountNames.some(n=>!D.accountShares.some(a=>a.name===n));
 if(D.accountNames.length>1)el(c,'div','',D.accountShares.map((a,i)=>[a.name||'(default)',color(i)]).concat(others?[['others',color(-1)]]:[]).map(([n,k])=>`<span class="key"><i style="background:${k}"></i>${esc(n)}</span>`).join('')).style.marginTop='8px';
 cv.setAttribute('role','img');cv.setAttribute('aria-label','Runs by node over time');
 window.addEventListener('resize',draw);draw()}
// Two views of one card, chosen by buttons.
function views(c,named){const bar=el(c,'div','tabs'),box=el(c,'div','');const show=i=>{box.innerHTML='';[...bar.children].forEach((b,k)=>b.className=k===i?'on':'');named[i][1](box)};
 if(named.length>1)named.forEach(([n],i)=>{el(bar,'button','',esc(n)).onclick=()=>show(i)});show(0)}
// Means of so many neighbours, so that a line says how it went and not how it jumped.
function smooth(values,k){const out=[];let sum=0;for(let i=0;i<values.length;i++){sum+=values[i];if(i>=k)sum-=values[i-k];out.push(sum/Math.min(i+1,k))}return out}
function shares(g){
 const stacked=list=>box=>chart(box,list.map((a,i)=>({name:a.name||'(default)',values:a.cpus,color:color(i)})),{stacked:1,wide:1,legend:1,tip:v=>v.toFixed(1)+' CPUs'});
 const kinds=[['By account',D.accountShares],['By user',D.userShares]].filter(k=>k[1].length);
 views(card(g,'Shares over time','CPUs held, stacked; those with the most work.',true),kinds.map(([n,l])=>[n,stacked(l)]));
 const due=kinds.map(([n,l])=>[n,l.filter(a=>a.due!=null)]).filter(k=>k[1].length>1);
 if(due.length)views(card(g,'Share given, share due','Line: part of all CPUs in use, averaged over a twentieth of the time. Dashed: what the policy\'s shares give it. Shaded: it had jobs waiting.',true),due.map(([n,l])=>[n,box=>multiples(box,l,n)]))}
function multiples(box,list,kind){
 const grid=el(box,'div','small'),n=D.CPUs.length,k=Math.max(1,Math.round(n/20)),used=smooth(D.CPUs,k);
 const lines=list.map(a=>smooth(a.cpus,k).map((v,i)=>used[i]>0?v/used[i]:0));
 const most=Math.max(...lines.map(l=>Math.max(...l)),...list.map(a=>a.due),.05);
 el(box,'p','hint',`All on one scale: 0 to ${Math.round(100*most)} %.`);box.prepend(box.lastChild);
 list.forEach((a,j)=>{const W=260,H=96,L=4,T=6,B=4,x=i=>L+(W-2*L)*i/n,y=v=>T+(H-T-B)*(1-v/most);
  let s=`<svg viewBox="0 0 ${W} ${H}" role="img" aria-label="share of ${esc(a.name||'(default)')} over time">`,from=-1;
  for(let i=0;i<=n;i++){const waits=i<n&&a.pending[i]>=.5;if(waits&&from<0)from=i;if(!waits&&from>=0){s+=`<rect x="${x(from).toFixed(1)}" y="${T}" width="${(x(i)-x(from)).toFixed(1)}" height="${H-T-B}" fill="var(--line)" opacity=".6"/>`;from=-1}}
  s+=`<path d="${lines[j].map((v,i)=>(i?'L':'M')+x(i+.5).toFixed(1)+' '+y(v).toFixed(1)).join('')}" fill="none" stroke="${kind==='By account'?accountColor(a.name):color(j)}" stroke-width="1.8" vector-effect="non-scaling-stroke"/><line x1="${L}" x2="${W-L}" y1="${y(a.due)}" y2="${y(a.due)}" stroke="var(--ink)" stroke-dasharray="4 3" vector-effect="non-scaling-stroke"/></svg>`;
  const all=a.cpus.reduce((p,q)=>p+q,0)/Math.max(D.CPUs.reduce((p,q)=>p+q,0),1e-9);
  const cell=el(grid,'div','',`<b>${esc(a.name||'(default)')}</b> <span class="hint">${pct(all)} given, ${pct(a.due)} due</span>`+s);
  cell.onmousemove=ev=>{const b=cell.getBoundingClientRect(),i=Math.floor((ev.clientX-b.left)/b.width*n);if(i<0||i>=n)return hideTip();showTip(ev,axis(i*D.step)+'\n'+pct(lines[j][i])+' of CPUs in use\n'+a.pending[i].toFixed(1)+' jobs waiting')};cell.onmouseleave=hideTip})}
// Rows wait, columns hold what they wait for.
function because(c,pairs){const REST='\u0001',order=[],total={},add=(n,h)=>{if(!(n in total)){total[n]=0;order.push(n)}total[n]+=h};
 pairs.forEach(([w,h,v])=>{add(w,v);if(h!==null)add(h,v)});order.sort((a,b)=>total[b]-total[a]);const names=order.slice(0,10),all={};
 pairs.forEach(([w,h,v])=>{all[w]=(all[w]||0)+v});const at={};pairs.forEach(([w,h,v])=>{const k=names.includes(h)?h:REST;at[w]=at[w]||{};at[w][k]=(at[w][k]||0)+v});
 const rest=pairs.some(([w,h])=>!names.includes(h));let t='<table class="heat"><tr><th>waits</th><th>job hours</th>'+names.map(n=>`<th>${esc(n||'(default)')}</th>`).join('')+(rest?'<th>others</th>':'')+'</tr>';
 const waiters=Object.keys(all).sort((a,b)=>all[b]-all[a]).slice(0,12);
 for(const w of waiters){t+=`<tr><td>${esc(w||'(default)')}</td><td>${num(all[w])}</td>`;for(const h of rest?[...names,REST]:names){const v=(at[w][h]||0)/all[w];t+=`<td style="background:color-mix(in srgb,var(--accent) ${Math.round(70*v)}%,transparent)">${v>.0005?(100*v).toFixed(v<.0995?1:0)+' %':''}</td>`}t+='</tr>'}
 el(c,'div','scroll',t+'</table>')}
function table(c,rows,noun){const due=rows.some(r=>r.due!=null),gpu=rows.some(r=>r.gpu>0),ref=rows.some(r=>r.refused),pre=rows.some(r=>r.preemptions),most=Math.max(...rows.map(r=>Math.max(r.share,r.due||0)),.01);
 let h=`<table><tr><th>${noun}</th><th>jobs</th>${ref?'<th>refused</th>':''}<th>mean wait</th><th>median</th><th>p95</th><th>slowdown</th>${pre?'<th>preempted</th>':''}${gpu?'<th>of GPUs</th>':''}<th>of CPUs</th>${due?'<th>due</th>':''}<th style="width:22%"></th></tr>`;
 for(const r of rows){const ran=r.jobs>0,w=v=>ran?span(v):'–';h+=`<tr><td>${esc(r.name||'(default)')}</td><td>${num(r.jobs)}</td>${ref?`<td>${num(r.refused)}</td>`:''}<td>${w(r.wait)}</td><td>${w(r.median)}</td><td>${w(r.p95)}</td><td>${ran?r.slowdown.toFixed(2):'–'}</td>${pre?`<td>${num(r.preemptions)}</td>`:''}${gpu?`<td>${pct(r.gpu)}</td>`:''}<td>${pct(r.share)}</td>${due?`<td>${r.due!=null?pct(r.due):'–'}</td>`:''}<td style="text-align:left"><span style="position:relative;display:block;height:10px"><i class="bar" style="position:absolute;left:0;top:1px;width:${(100*r.share/most).toFixed(1)}%"></i>${r.due!=null?`<i style="position:absolute;left:${(100*r.due/most).toFixed(1)}%;top:-2px;width:2px;height:14px;background:var(--ink)"></i>`:''}</span></td></tr>`}
 const box=el(c,'div','',h+'</table>');box.style.overflowX='auto';
 // A long table begins with what matters.
 const lines=[...box.querySelectorAll('tr')].slice(1);if(lines.length>15){lines.slice(10).forEach(l=>l.hidden=true);const more=el(c,'button','',`Show all ${num(lines.length)}`);more.onclick=()=>{lines.forEach(l=>l.hidden=false);more.remove()}}}
(function(){
 el(main,'h1','',esc(D.workload)+' under '+esc(D.rules.split('/').pop()));
 const [items,ran,refused,left,timedOut,failed]=D.jobs;
 el(main,'p','sub',esc(`${num(items)} jobs over ${span(D.makespan)} of virtual time. `+D.people));
 for(const u of D.unexercised)el(main,'p','note',esc(u));
 if(left)el(main,'p','note',esc(D.stopped?`Stopped early: ${num(left)} jobs had not ended. Waits are of those that had.`:`${num(left)} ${left===1?'job':'jobs'} never ended: the first waits for ever, ${D.leftReason}.`));
 for(const l of D.leftOut)el(main,'p','note',esc(l));
 const tiles=el(main,'div','tiles'),tile=(v,l)=>el(el(tiles,'div','card tile'),'div','',`<b>${esc(v)}</b><span>${esc(l)}</span>`);
 tile(num(ran),'jobs ran'+(timedOut?`, ${num(timedOut)} into their limit`:'')+(failed?`, ${num(failed)} failed`:''));
 tile(num(refused),'refused');tile(span(D.wait[0]),'mean wait, median '+span(D.wait[1]));tile(span(D.wait[2]),'wait p95, p99 '+span(D.wait[3]));
 tile(D.slowdown[0].toFixed(2),'mean slowdown, median '+D.slowdown[1].toFixed(2));
 for(const r of D.resources)tile(pct(r[2]),'of '+r[0]+' used');
 tile(D.perHour,'jobs an hour');tile(num(D.preemptions),'preemptions'+(D.preemptions?', '+num(D.lostHours)+' CPU hours lost':''));
 tile(pct(D.backfilled/Math.max(D.starts,1)),'of starts by backfill');
 if(D.fairness!=null)tile(D.fairness.toFixed(2),'fairness: 1 is as due');
 const g=el(main,'div','grid');
 {const c=card(g,'Waits and slowdown','From submission to the first start, to the end; slowdown is response over run time, runs under 10 s count as 10 s.',true);
 let h='<table><tr><th></th><th>mean</th><th>median</th><th>p95</th><th>p99</th><th>max</th></tr>';for(const [n,v,f] of [['wait',D.wait,span],['response',D.response,span],['slowdown',D.slowdown,x=>x.toFixed(2)]])h+=`<tr><td>${n}</td>${v.map(x=>`<td>${f(x)}</td>`).join('')}</tr>`;el(c,'div','scroll',h+'</table>')}
 if(D.pending.length){
  chart(card(g,'Queue','Jobs that wait and run, averaged over '+span(D.step)+'.'),[{name:'waiting',values:D.pending,color:color(1)},{name:'running',values:D.running,color:color(0)}],{fill:1});
  chart(card(g,'Utilisation','What running jobs hold of each resource.'),D.resources.map((r,i)=>({name:r[0],values:D[r[0]].map(v=>v/r[1]),color:color(i)})),{most:1,label:v=>Math.round(100*v)+' %',legend:1});
 }
 if(D.accountShares.length&&D.pending.length)shares(g);
 const w=card(g,'How long jobs waited','Jobs by the time from their submission to their first start.'),names=['none','<1m','<5m','<15m','<1h','<4h','<12h','<1d','<3d','<7d','≥7d'];
 {const most=Math.max(...D.waits,1),all=D.waits.reduce((a,b)=>a+b,0)||1;fitted(w,W=>{const each=W/11,bar=Math.min(each*.76,40),size=W<460?9:11;let s=`<svg viewBox="0 0 ${W} 210" role="img" aria-label="jobs by how long they waited">`;D.waits.forEach((v,i)=>{const x=each*(i+.5),h=160*v/most;s+=`<rect x="${x-bar/2}" y="${180-h}" width="${bar}" height="${h}" rx="2" fill="${color(0)}"/><text x="${x}" y="${174-h}" text-anchor="middle" font-size="${size-1}" fill="var(--soft)">${v?(v/all<(W<460?.005:.0005)?W<460?'<1':'<0.1':(100*v/all).toFixed(W<460?0:1))+'%':''}</text><text x="${x}" y="198" text-anchor="middle" font-size="${size}" fill="var(--soft)">${esc(names[i])}</text>`});return s+'</svg>'})}
 const why=card(g,'What kept jobs','Why waiting jobs waited, and why jobs were refused at submission.');
 {let h='<table><tr><th>waited for</th><th>job hours</th><th>of all waiting</th></tr>';for(const [n,v,hours] of D.waitedFor.slice(0,8))h+=`<tr><td style="white-space:normal">${esc(n)}</td><td>${num(hours)}</td><td>${pct(v)}</td></tr>`;if(!D.waitedFor.length)h+='<tr><td>nothing: no job was seen waiting</td><td></td><td></td></tr>';
 h+='</table><br><table><tr><th>refused because</th><th>jobs</th></tr>';for(const [n,v] of D.ref)PAGE"
    R"PAGE(usals.slice(0,5))h+=`<tr><td style="white-space:normal">${esc(n)}</td><td>${num(v)}</td></tr>`;if(!D.refusals.length)h+='<tr><td>no job was refused</td><td>0</td></tr>';el(why,'div','',h+'</table>')}
 {const kinds=[['By account',D.accountsWaited],['By user',D.usersWaited]].filter(k=>new Set(k[1].flatMap(p=>[p[0],p[1]])).size>1);
 if(kinds.length)views(card(g,'Who waited because of whom','Each row: where the time that its jobs waited comes from. For nodes: who ran on those it could have used; for a limit: who filled it. Its own column: its own jobs or limits.',true),kinds.map(([n,l])=>[n,box=>because(box,l)]))}
 if(D.bars.length)gantt(card(g,'Runs by node','Each bar is a run, on the first node it held; colours are accounts.',true));
 for(const [noun,rows] of [['account',D.accounts],['user',D.users],['QoS',D.qos],['partition',D.partitions]])if(rows.length&&!(rows.length===1&&(!rows[0].name||rows[0].name==='(default)')))
  table(card(g,'By '+noun,noun==='user'&&D.allUsers>rows.length?`The first ${rows.length} of ${num(D.allUsers)} by CPU time.`:rows.some(r=>r.due!=null)?'Bar: share of all CPU time; mark: share due by the policy.':'Bar: share of all CPU time.',true),rows,noun);
 el(main,'footer','','sluice sim, journal '+D.digest+'. The same workload, policy and seed give the same report.')})();
</script></body></html>
)PAGE";
// clang-format on

}  // namespace sluice
