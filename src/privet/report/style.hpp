#pragma once

namespace privet::report {

/// The looks of the page. Rules beat the attributes of the figures, whose own colours are for white paper.
inline constexpr const char* kStyle = R"css(
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1d2429; --soft: #56616a; --rule: #d6dce0; --wash: #f4f6f7; --link: #0b5c94;
  --good: #0a6b46; --good-wash: #eaf6f0; --bad: #a8260f; --bad-wash: #fdeeea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181b; --ink: #e4e8ea; --soft: #9eaab2; --rule: #384148; --wash: #1d2327; --link: #7cc0ef;
    --good: #6fd3a6; --good-wash: #15291f; --bad: #ff9a80; --bad-wash: #331a14;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
h1 { font-size: 2rem; line-height: 1.2; margin: 0.2rem 0 1rem; }
h2 { font-size: 1.45rem; margin: 3rem 0 1rem; padding-bottom: 0.3rem; border-bottom: 2px solid var(--rule); }
h3 { font-size: 1.15rem; margin: 2.2rem 0 0.8rem; overflow-wrap: anywhere; }
h4 { font-size: 1rem; margin: 1.5rem 0 0.3rem; }
p { margin: 0.5rem 0; max-width: 46rem; overflow-wrap: anywhere; }
ul { margin: 0.5rem 0; padding-left: 1.3rem; max-width: 46rem; }
li { margin: 0.25rem 0; overflow-wrap: anywhere; }
a { color: var(--link); }
.kicker { color: var(--soft); text-transform: uppercase; letter-spacing: 0.08em; font-size: 0.8rem; margin: 0; }
.small, figcaption { color: var(--soft); font-size: 0.85rem; }
.summary { background: var(--wash); border-radius: 8px; padding: 1rem 1.3rem; }
.summary li { margin: 0.5rem 0; }
.card { background: var(--wash); border-left: 5px solid var(--rule); border-radius: 0 8px 8px 0; padding: 0.7rem 1.2rem; }
.card.good { background: var(--good-wash); border-color: var(--good); }
.card.bad { background: var(--bad-wash); border-color: var(--bad); }
.badge {
  display: inline-block; margin: 0 0.6rem 0.2rem 0; padding: 0.05rem 0.55rem; border: 2px solid currentColor;
  border-radius: 5px; font-size: 0.85rem; letter-spacing: 0.03em; color: var(--soft);
}
.badge.good { color: var(--good); }
.badge.bad, td.warning, .contents .warning { color: var(--bad); font-weight: bold; }
.contents { font-size: 0.92rem; margin-top: 1.2rem; }
.wide { overflow-x: auto; margin: 1.2rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.88rem; line-height: 1.4; }
caption { text-align: left; color: var(--soft); padding-bottom: 0.5rem; max-width: 46rem; }
th, td { padding: 0.35rem 0.7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
thead th { border-bottom: 2px solid var(--soft); vertical-align: bottom; }
tbody th { font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
td.word { overflow-wrap: break-word; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.2rem; margin: 0.6rem 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font-size: 0.8rem; overflow-wrap: anywhere; }
figure { margin: 1.6rem 0; }
figure svg { display: block; width: 100%; max-width: 50rem; height: auto; }
figcaption { max-width: 46rem; }
figure svg text { fill: currentColor; }
figure svg [fill="white"] { fill: none; }
figure svg [stroke="#eee"] { stroke: var(--rule); }
figure svg [stroke="#000000"] { stroke: currentColor; }
figure svg [fill="#000000"] { fill: currentColor; }
@media (max-width: 36rem) { dl { display: block; } dd { margin-bottom: 0.5rem; } }
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --rule: #bbb; --wash: #fff; --link: #000;
          --good: #064; --good-wash: #fff; --bad: #a00; --bad-wash: #fff; }
  body { padding: 0; max-width: none; font-size: 10pt; }
  .summary, .card { border: 1px solid var(--rule); border-left-width: 5px; }
  h2, h3, h4, caption { break-after: avoid; }
  figure, caption, tr, .card { break-inside: avoid; }
  .wide { overflow: visible; }
  table { font-size: 8pt; }
  th, td { padding: 0.2rem 0.35rem; }
}
)css";

}  // namespace privet::report
