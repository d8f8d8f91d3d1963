// The style and script of report.html, kept inside the page so that it opens anywhere, offline.
#pragma once

namespace npuscope::diagnose {

inline constexpr const char* kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#fff;--fg:#1b2026;--dim:#66707b;--line:#dfe3e8;--card:#f6f7f9;--ok:#1a7f4b;--bad:#c02a2a;--warn:#9a6700;--bar:#3b6fd4}
@media (prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e4e7eb;--dim:#99a3ad;--line:#2b3138;--card:#1c2026;--ok:#4cc38a;--bad:#ff6b6b;--warn:#e3b341;--bar:#7aa2f7}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1400px;overflow-wrap:anywhere;margin:0 auto;padding:28px 22px 60px}
h1{font-size:22px;margin:0 0 4px;font-weight:650}
h2{font-size:16px;margin:34px 0 10px;font-weight:650}
code,.mono{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.verdict{border:1px solid var(--line);border-left:6px solid var(--ok);background:var(--card);border-radius:8px;padding:16px 20px;margin:18px 0}
.verdict.failed{border-left-color:var(--bad)}
.verdict .word{font-weight:750;letter-spacing:.04em;color:var(--ok)}
.verdict.failed .word{color:var(--bad)}
.verdict p{margin:6px 0 0}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:0}
.facts dt{color:var(--dim)}.facts dd{margin:0;overflow-wrap:anywhere}
.cards{display:flex;flex-wrap:wrap;gap:12px;margin:18px 0}
.card{flex:1 1 150px;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.card b{display:block;font-size:20px;font-weight:650}.card span{color:var(--dim);font-size:13px}
.scroll,.chart{overflow-x:auto;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:13.5px}
th,td{padding:6px 10px;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap;vertical-align:top}
th{background:var(--card);font-weight:600}
#ops thead th{cursor:pointer;user-select:none}
th[aria-sort=ascending]::after{content:" \2191"}th[aria-sort=descending]::after{content:" \2193"}
td.num{text-align:right;font-variant-numeric:tabular-nums}
td.name{white-space:normal;overflow-wrap:anywhere;min-width:8em}
tr.op td{border-bottom:0;padding-bottom:0}
tr.detail>td{white-space:normal;overflow-wrap:anywhere;color:var(--dim);padding-left:24px}
.kernels td{white-space:normal;overflow-wrap:anywhere}
.kernels td:first-child,.kernels td:nth-child(2){min-width:8em}.kernels td:last-child{min-width:12em}.kernels td.num{white-space:nowrap}
#ops>tbody:last-child>tr:last-child>td{border-bottom:0}
@media print,(max-width:920px){
#ops,#ops>tbody,#ops>tbody>tr,#ops>tbody>tr>td{display:block}
#ops>tbody[hidden]{display:none}
#ops>thead,#ops>thead>tr{display:flex;flex-wrap:wrap;background:var(--card)}
#ops>thead th{border:0}
#ops>tbody{break-inside:avoid;border-bottom:1px solid var(--line);padding:6px 0}
#ops>tbody>tr.op{display:flex;flex-wrap:wrap}
#ops>tbody>tr>td{border:0;text-align:left;padding:2px 10px;min-width:0}
#ops>tbody>tr.op>td::before{content:attr(data-label) " ";color:var(--dim);font:13px system-ui,sans-serif}
}
.pass{color:var(--ok)}.fail,.overflow{color:var(--bad);font-weight:650}.other{color:var(--warn)}
.tools{display:flex;gap:16px;align-items:center;margin:0 0 8px;color:var(--dim);font-size:14px;flex-wrap:wrap}
.tools input[type=search]{padding:5px 9px;border:1px solid var(--line);border-radius:6px;background:var(--bg);color:var(--fg);min-width:220px}
svg{display:block;width:100%;min-width:760px;height:auto;background:var(--card)}
svg text{fill:var(--dim);font:11px system-ui,sans-serif}
@media print{.tools,#ops>thead{display:none}svg{min-width:0}}
footer{margin-top:40px;color:var(--dim);font-size:13px}
)css";

inline constexpr const char* kPageScript = R"js(
(function(){
var table=document.getElementById('ops');if(!table)return;
var only=document.getElementById('only');var find=document.getElementById('find');
function ops(){return Array.prototype.slice.call(table.tBodies);}
function show(){var text=find.value.toLowerCase();var shown=0;
 ops().forEach(function(op){
  var hit=(!only.checked||op.dataset.status!=='pass')&&op.textContent.toLowerCase().indexOf(text)>=0;
  op.hidden=!hit;if(hit)shown++;});
 document.getElementById('shown').textContent=shown+' of '+ops().length+' ops';}
only.addEventListener('change',show);find.addEventListener('input',show);
Array.prototype.forEach.call(table.tHead.rows[0].cells,function(cell,column){
 cell.tabIndex=0;
 function sort(){var up=cell.getAttribute('aria-sort')!=='ascending';
  Array.prototype.forEach.call(table.tHead.rows[0].cells,function(c){c.removeAttribute('aria-sort');});
  cell.setAttribute('aria-sort',up?'ascending':'descending');
  var rows=ops();
  rows.sort(function(a,b){var x=a.rows[0].cells[column],y=b.rows[0].cells[column];
   var p=x.dataset.v!==undefined?parseFloat(x.dataset.v):x.textContent;
   var q=y.dataset.v!==undefined?parseFloat(y.dataset.v):y.textContent;
   var d=typeof p==='number'?p-q:String(p).localeCompare(String(q));return up?d:-d;});
  rows.forEach(function(r){table.appendChild(r);});}
 cell.addEventListener('click',sort);
 cell.addEventListener('keydown',function(e){if(e.key==='Enter')sort();});});
window.addEventListener('beforeprint',function(){
 Array.prototype.forEach.call(document.querySelectorAll('details.culprit'),function(d){d.open=true;});});
show();
})();
)js";

}  // namespace npuscope::diagnose
