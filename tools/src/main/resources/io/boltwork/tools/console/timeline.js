// Draws the times at which clients held a lock and waited for it, one lane for each client.

import {clock, duration, el, keyedRows, printable, setText, show} from './dom.js';

const LANES = 12;
const ROWS = 50;

export function createTimeline() {
  const ranges = [[60000, 'last minute'], [600000, 'last 10 minutes'], [Infinity, 'all']];
  let range = 60000;
  let latest = null;
  const choice = el('select', {id: 'range', on: {change: () => {
    range = Number(choice.value);
    draw();
  }}}, ...ranges.map(([millis, text]) => el('option', {value: millis, text})));
  const lanes = el('div', {class: 'lanes', 'aria-hidden': 'true'});
  const axis = el('div', {class: 'axis', 'aria-hidden': 'true'}, el('span'), el('span'), el('span'));
  const others = el('p', {class: 'note', hidden: true});
  const empty = el('p', {class: 'empty', text: 'Nothing was seen in this time.'});
  const rows = el('tbody');
  const table = el('table', {class: 'seen'},
    el('caption', {class: 'unseen', text: 'Holds that the console has seen, the latest first'}),
    el('thead', {}, el('tr', {},
      el('th', {scope: 'col', text: 'From'}),
      el('th', {scope: 'col', text: 'Client'}),
      el('th', {scope: 'col', class: 'number', text: 'Held for'}),
      el('th', {scope: 'col', class: 'number wide', text: 'Token'}))),
    rows);
  const details = el('details', {}, el('summary', {text: 'Holds as a table'}),
      el('div', {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Holds'}, table));
  details.addEventListener('toggle', () => latest && draw());

  function draw() {
    const end = Date.parse(latest.locks[0].at);
    const first = Math.min(end - 10000, ...latest.watches.map((watch) => Date.parse(watch.from)));
    const begin = Math.max(first, end - range);
    const spans = latest.spans.map((span) => ({...span, begin: Date.parse(span.from), end: Date.parse(span.until)}))
      .filter((span) => span.end >= begin);
    const byClient = new Map();
    for (const span of spans.toSorted((a, b) => a.begin - b.begin)) {
      byClient.set(span.client, [...byClient.get(span.client) ?? [], span]);
    }
    const clients = [...byClient].map(([client, list]) => ({client, list}));
    const shown = clients.length <= LANES ? clients
      : clients.toSorted((a, b) => Math.max(...b.list.map((s) => s.end)) - Math.max(...a.list.map((s) => s.end)))
          .slice(0, LANES);
    const gaps = unwatched(latest.watches, begin, end);
    keyedRows(lanes, shown, (lane) => lane.client, newLane, (lane, data) => fill(lane, data, gaps, begin, end));
    show(empty, shown.length === 0);
    show(axis, shown.length > 0);
    [begin, (begin + end) / 2, end].forEach((time, i) => setText(axis.children[i], clock(new Date(time))));
    show(others, clients.length > shown.length);
    setText(others, `${clients.length - shown.length} more clients were seen in this time.`);
    if (details.open) {
      const holds = spans.filter((span) => !span.waiting).toSorted((a, b) => b.begin - a.begin).slice(0, ROWS);
      keyedRows(rows, holds, (span) => `${span.client} ${span.token} ${span.from}`,
          () => el('tr', {}, el('td'), el('td', {class: 'client'}), el('td', {class: 'number'}),
          el('td', {class: 'number wide token'})),
        (row, span) => [clock(new Date(span.begin)), printable(span.label),
            duration(span.end - span.begin) + (span.open ? ' so far' : ''), span.token]
          .forEach((text, i) => setText(row.children[i], text)));
    }
  }

  const element = el('section', {class: 'card timeline', 'aria-labelledby': 'timeline-title'},
    el('div', {class: 'card-head'}, el('h2', {id: 'timeline-title', text: 'Timeline'}),
      el('ul', {class: 'legend'}, el('li', {}, el('span', {class: 'key hold'}), 'holds'),
          el('li', {}, el('span', {class: 'key wait'}), 'waits'),
          el('li', {}, el('span', {class: 'key gap'}), 'not watched')),
      el('div', {class: 'field inline'}, el('label', {for: 'range', text: 'Show'}), choice)),
    lanes, axis, empty, others,
    el('p', {class: 'note',
        text: 'What this console has seen since it was started, while a page showed this lock. It looks once a'
            + ' second, so it can miss shorter holds.'}),
    details);
  return {element, update: (data) => {
    latest = data;
    draw();
  }};
}

function newLane(lane) {
  const label = printable(lane.list[0].label);
  return el('div', {class: 'lane'}, el('div', {class: 'lane-name', text: label, title: label}),
      el('div', {class: 'track'}));
}

function fill(lane, {list}, gaps, begin, end) {
  const parts = [...gaps.map((gap) => ({...gap, type: 'gap'})),
      ...list.map((span) => ({...span, type: span.waiting ? 'wait' : 'hold'}))];
  const track = lane.lastChild;
  while (track.children.length > parts.length) {
    track.lastChild.remove();
  }
  parts.forEach((part, i) => {
    const box = track.children[i] ?? track.appendChild(el('span'));
    const from = Math.max(begin, part.begin);
    const left = 100 * (from - begin) / (end - begin);
    box.className = `span ${part.type}`;
    box.style.left = `${left.toFixed(3)}%`;
    box.style.width = `${Math.max(0, 100 * (part.end - from) / (end - begin)).toFixed(3)}%`;
    box.title = part.type === 'gap' ? 'not watched'
        : `${part.waiting ? 'waited' : 'held'} ${duration(part.end - part.begin)}, from ${clock(new Date(part.begin))}`
      + (part.waiting ? '' : `, token ${part.token}`);
  });
}

function unwatched(watches, begin, end) {
  const gaps = [];
  let seen = begin;
  for (const watch of watches) {
    const from = Date.parse(watch.from);
    if (from > seen && from > begin && gaps.length + 1 < 50) {
      gaps.push({begin: seen, end: Math.min(from, end)});
    }
    seen = Math.max(seen, Date.parse(watch.until));
  }
  return gaps;
}
