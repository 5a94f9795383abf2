// Draws the shelf with the items, and the line of the rates.

export function svg(name, attributes = {}, content = '') {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.textContent = content;
  return element;
}

// ------------------------------------------------------------------ shelf

let shelfKey = '';
let cells = [];

/** Each item is a square: grey in stock, in the shop's colour when sold, crossed out in red when it was not there. */
export function showShelf(shelf, sale, planned) {
  const items = sale ? sale.settings.items : Math.min(1000, planned);
  const sold = sale ? sale.shelf : '';
  const count = Math.max(items, sold.length);
  const { width, height } = shelf.getBoundingClientRect();
  const key = `${sale?.number} ${Math.max(items, sold.length)} ${Math.round(width)}`;
  if (!width) {
    return;
  }
  if (key !== shelfKey) {
    shelfKey = key;
    layOut(shelf, items, count, width, height);
  }
  cells.forEach((cell, i) => {
    const name = i >= items ? 'over' : i < sold.length ? `gone shop-${sold[i]}` : 'in-stock';
    if (cell.getAttribute('class') !== name) {
      cell.setAttribute('class', name);
    }
  });
}

function layOut(shelf, items, count, width, height) {
  let step = 26;
  while (step > 4 && Math.floor(width / step) * Math.floor(height / step) < count) {
    step -= 0.5;
  }
  const columns = Math.max(1, Math.floor(width / step));
  const size = step - Math.max(1.5, step * 0.18);
  shelf.setAttribute('viewBox', `0 0 ${width} ${height}`);
  cells = [];
  for (let i = 0; i < count; i++) {
    const x = (i % columns) * step + 1;
    const y = Math.floor(i / columns) * step + 1;
    cells.push(i < items
      ? svg('rect', { x, y, width: size, height: size, rx: size / 6 })
      : svg('path', { d: `M${x} ${y}h${size}v${size}h${-size}zl${size} ${size}m0 ${-size}l${-size} ${size}` }));
  }
  shelf.replaceChildren(...cells);
}

// ------------------------------------------------------------------ chart

const STEP = 0.25;

export function showChart(chart, sale) {
  const { width, height } = chart.getBoundingClientRect();
  if (!width) {
    return;
  }
  const points = sale ? sale.points : [];
  const ideal = sale ? sale.figures.ideal : 20;
  const left = 2;
  const bottom = height - 16;
  const top = 14;
  const most = Math.max(ideal * 1.15, ...points);
  const long = Math.max(8, points.length * STEP);
  const x = i => left + (i * STEP / long) * (width - left - 2);
  const y = value => bottom - (value / most) * (bottom - top);
  const parts = [svg('line', { class: 'axis', x1: left, x2: width, y1: bottom, y2: bottom })];
  if (points.length > 1) {
    const line = points.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    parts.push(
      svg('polygon', { class: 'area', points: `${x(0)},${bottom} ${line} ${x(points.length - 1)},${bottom}` }),
      svg('polyline', { class: 'rate', points: line }));
  }
  const locked = !sale || sale.settings.locked;
  parts.push(svg('line', { class: 'ideal', x1: left, x2: width, y1: y(ideal), y2: y(ideal) }));
  parts.push(svg('text', { class: 'strong', x: left, y: y(ideal) - 4 },
    locked ? `possible: ${number(ideal)}` : `possible one at a time: ${number(ideal)}`));
  parts.push(svg('text', { x: left, y: height - 3 }, '0 s'));
  parts.push(svg('text', { x: width - 2, y: height - 3, 'text-anchor': 'end' }, `${Math.round(long)} s`));
  chart.setAttribute('viewBox', `0 0 ${width} ${height}`);
  chart.replaceChildren(...parts);
  chart.setAttribute('aria-label', sale?.figures.perSecond == null
    ? 'No item was sold yet'
    : `On average ${sale.figures.perSecond.toFixed(1)} served per second, ${number(ideal)} are possible`);
}

const number = value => Number.isInteger(value) ? value : value.toFixed(1);
