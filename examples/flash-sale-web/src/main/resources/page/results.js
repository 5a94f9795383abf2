// Shows both results beside each other and beside the figures of articles, and the code behind the buttons.
import { at, text, wait } from './app.js';

const ARTICLES = [['Article 1', 16.1], ['Article 2', 14.7]];
const ARTICLES_POSSIBLE = 20;

const ROWS = [
  ['Result', figures => verdict(figures), figures => figures.tooMany > 0 ? 'wrong' : 'right'],
  ['Sold', figures => figures.sold],
  ['Came too late', figures => figures.late],
  ['Late writes rejected', figures => figures.refused],
  ['No answer', figures => figures.noAnswer + figures.busy],
  ['Sold per second', figures => figures.perSecond == null ? '–' : figures.perSecond.toFixed(1)],
  ['Median wait', figures => figures.waits ? wait(figures.waits[0]) : '–'],
  ['99 % waited at most', figures => figures.waits ? wait(figures.waits[2]) : '–'],
];

function verdict(figures) {
  if (figures.tooMany > 0) {
    return `✕ ${figures.tooMany} too many`;
  }
  return figures.sold === figures.settings.items ? '✓ not one too many' : '✓ none too many';
}

let key = null;

export function showResults({ withLock, withoutLock }) {
  const now = `${withLock?.sale} ${withoutLock?.sale}`;
  if (now === key) {
    return;
  }
  key = now;
  const lines = ROWS.map(([name, value, mark]) => {
    const line = document.createElement('tr');
    const head = document.createElement('th');
    head.scope = 'row';
    head.textContent = name;
    line.append(head);
    for (const figures of [withLock, withoutLock]) {
      const cell = document.createElement('td');
      cell.textContent = figures ? value(figures) : '–';
      cell.className = figures && mark ? mark(figures) : '';
      line.append(cell);
    }
    return line;
  });
  at('results').tBodies[0].replaceChildren(...lines);
  const ours = withLock?.perSecond == null
    ? bar('This sale', null, ARTICLES_POSSIBLE, 'ours')
    : bar(withLock.disturbed ? 'This sale, disturbed' : 'This sale', withLock.perSecond, withLock.ideal, 'ours');
  at('bars').replaceChildren(ours, ...ARTICLES.map(([name, value]) => bar(name, value, ARTICLES_POSSIBLE, '')));
}

function bar(name, value, possible, mark) {
  const line = document.createElement('li');
  line.className = mark;
  const number = document.createElement('span');
  number.className = 'number';
  number.textContent = value == null ? '–'
      : `${value.toFixed(1)} of ${Number.isInteger(possible) ? possible : possible.toFixed(1)}`;
  const track = document.createElement('span');
  track.className = 'bar';
  const filled = document.createElement('i');
  filled.style.width = value == null ? '0' : `${Math.min(100, 100 * value / possible)}%`;
  track.append(filled);
  const label = document.createElement('span');
  label.textContent = name;
  line.append(label, track, number);
  return line;
}

export function showCode(code) {
  if (!code) {
    return;
  }
  const kind = at('kind').value;
  const fifo = at('order').value === 'fifo';
  text('code-lock', code[kind === 'ANNOTATION' && fifo ? 'ANNOTATION-FIFO' : kind]);
  text('code-sell', code.SELL);
}
