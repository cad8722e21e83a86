// The picture of a year: bytes on the disk by day, the stated bound as a line, and the days on which the machine was off.

const WIDTH = 900;
const HEIGHT = 420;
const PLOT = { left: 70, right: 20, top: 56, bottom: 56 };
const MEGABYTE = 1024 * 1024;
/** Steps between two lines of the grid, in megabytes. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const MOST_LINES = 6;

/** `days` have `used` and `bound` in bytes, and `isOff` where the machine was off. */
export function drawYear(days) {
  const most = Math.max(...days.flatMap(({ used, bound }) => [used, bound])) / MEGABYTE;
  const step = STEPS.find((each) => most / each <= MOST_LINES) ?? most;
  const top = Math.ceil(most / step) * step;
  const x = (day) => PLOT.left + (day / Math.max(1, days.length - 1)) * (WIDTH - PLOT.left - PLOT.right);
  const y = (bytes) => HEIGHT - PLOT.bottom - (bytes / MEGABYTE / top) * (HEIGHT - PLOT.top - PLOT.bottom);
  const lineOf = (name) => days.map((day, index) => `${round(x(index))},${round(y(day[name]))}`).join(' ');
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title">`,
    `<title id="title">Bytes on the disk over ${days.length} days, and the stated bound</title>`,
    STYLE,
    `<rect class="paper" width="${WIDTH}" height="${HEIGHT}" rx="8"/>`,
    `<text class="head" x="${PLOT.left}" y="30">A year with nobody looking: bytes on the disk, day by day</text>`,
    ...outages(days, x),
    ...grid({ top, step, y }),
    ...months(days.length, x),
    `<polyline class="bound" points="${lineOf('bound')}"/>`,
    `<polyline class="used" points="${lineOf('used')}"/>`,
    ...legend(),
    '</svg>',
  ].join('\n')}\n`;
}

const STYLE = `<style>
.paper { fill: #ffffff } text { font: 13px system-ui, sans-serif; fill: #57606a } .head { font-size: 16px; font-weight: 600; fill: #1f2328 }
.grid { stroke: #d0d7de; stroke-width: 1 } .used { fill: none; stroke: #1a7f37; stroke-width: 2 }
.bound { fill: none; stroke: #9a6700; stroke-width: 2; stroke-dasharray: 6 4 } .off { fill: #8c959f; opacity: .25 }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117 } text { fill: #9198a1 } .head { fill: #f0f6fc } .grid { stroke: #3d444d } .used { stroke: #3fb950 } .bound { stroke: #d29922 }
}
</style>`;

function outages(days, x) {
  const height = HEIGHT - PLOT.top - PLOT.bottom;
  return days.flatMap(({ isOff }, day) => {
    if (isOff !== true) return [];
    return [
      `<rect class="off" x="${round(x(day))}" y="${PLOT.top}" width="${round(x(1) - x(0))}" height="${height}"/>`,
    ];
  });
}

function grid({ top, step, y }) {
  return Array.from({ length: Math.round(top / step) + 1 }, (_, line) => {
    const at = round(y(line * step * MEGABYTE));
    return `<line class="grid" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${at}" y2="${at}"/><text x="${PLOT.left - 8}" y="${at + 4}" text-anchor="end">${line * step} MB</text>`;
  });
}

function months(days, x) {
  const marks = Array.from({ length: Math.floor(days / 30) + 1 }, (_, month) => month * 30).filter((day) => day < days);
  return marks.map(
    (day) => `<text x="${round(x(day))}" y="${HEIGHT - PLOT.bottom + 20}" text-anchor="middle">${day}</text>`,
  );
}

function legend() {
  const y = HEIGHT - 12;
  return [
    `<line class="used" x1="70" x2="100" y1="${y - 4}" y2="${y - 4}"/><text x="108" y="${y}">on the disk</text>`,
    `<line class="bound" x1="220" x2="250" y1="${y - 4}" y2="${y - 4}"/><text x="258" y="${y}">the stated bound</text>`,
    `<rect class="off" x="400" y="${y - 12}" width="30" height="14"/><text x="438" y="${y}">the machine was off</text>`,
    `<text x="${WIDTH - PLOT.right}" y="${y}" text-anchor="end">day</text>`,
  ];
}

function round(value) {
  return Math.round(value * 10) / 10;
}
