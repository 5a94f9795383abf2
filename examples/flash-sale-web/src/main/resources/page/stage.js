// Shows the lock, its queue, and a lane for each shop with its purchases and its buttons.
import { at, text, seconds } from './app.js';
import { showLabels } from './labels.js';
import { svg } from './shapes.js';

const WINDOW = 12000;
const SHOPS = ['Blue', 'Orange', 'Green', 'Pink'];
const STATES = { CLOSED: 'closed', STARTING: 'starting…', OPEN: 'open', FREEZING: 'freezing…', FROZEN: 'frozen' };
const calm = matchMedia('(prefers-reduced-motion: reduce)');

// ------------------------------------------------------------------ lock

function badge(shop) {
  const element = document.createElement('span');
  element.className = shop < 0 ? 'badge none' : `badge shop-${shop}`;
  element.textContent = shop < 0 ? '?' : SHOPS[shop][0];
  element.setAttribute('aria-hidden', 'true');
  return element;
}

export function showLock(state) {
  const { lock, sale, shops } = state;
  const running = Boolean(sale?.running);
  const free = sale && !sale.settings.locked;
  at('lock-panel').classList.toggle('wrong', Boolean(free && running && sale.inside > 1));
  text('lock-title', free ? 'No lock' : 'Holds the lock');
  const holder = free ? null : lock.holder;
  const frozen = holder !== null && shops[holder].state === 'FROZEN';
  at('holder-badge').className = holder === null ? 'badge none' : `badge shop-${holder}`;
  text('holder-badge', holder === null ? (free && running ? sale.inside : '–') : SHOPS[holder][0]);
  text('holder-name', free
    ? (running ? `${sale.inside} buyers inside at once` : 'No buyer is inside')
    : holder === null ? 'The lock is free' : SHOPS[holder] + (frozen ? ', frozen' : lock.buyer ? `, buyer ${lock.buyer}`
        : ''));
  text('holder-token', holder === null ? '\u00a0' : `token ${lock.token}`);
  at('freeze-holder').disabled = !running || holder === null || shops[holder].state !== 'OPEN';
  at('lease').className = holder === null ? 'lease' : `lease shop-${holder}${lock.leaseLeft < 500 ? ' low' : ''}`;
  at('lease-bar').style.width = holder === null ? '0' : `${100 * lock.leaseLeft / lock.lease}%`;
  const left = holder === null ? 'No lease'
    : frozen ? `Not renewed: ${seconds(lock.leaseLeft)} left` : `Lease: ${seconds(lock.leaseLeft)} left`;
  at('lease').setAttribute('aria-label', left);
  text('lease-text', !lock.answers && !free
    ? `Redis does not answer since ${seconds(state.now - lock.since)}`
    : holder === null ? '\u00a0' : left);
  at('lease-text').classList.toggle('alert', !lock.answers);
  showQueue(state, free);
}

function showQueue({ lock, shops, sale }, free) {
  const lines = free ? [] : lock.queue.map(place => {
    const line = document.createElement('li');
    const position = document.createElement('b');
    position.textContent = `${place.position}.`;
    line.append(position, badge(place.shop), SHOPS[place.shop] ?? 'unknown');
    if (!sale.settings.fifo && place.shop >= 0) {
      const bar = document.createElement('span');
      bar.className = `crowd shop-${place.shop}`;
      bar.append(document.createElement('i'));
      bar.firstChild.style.width = `${Math.min(100, 300 * shops[place.shop].waiting / sale.settings.buyers)}%`;
      const buyers = document.createElement('span');
      buyers.textContent = `${shops[place.shop].waiting} waiting`;
      line.append(bar, buyers);
      line.className = 'row';
    }
    return line;
  });
  if (!free && lock.queued > lines.length) {
    lines.push(plain(`and ${lock.queued - lines.length} more`));
  }
  if (!lines.length) {
    lines.push(plain(free ? 'No buyer waits: all buy at once.' : 'Empty'));
  }
  at('queue').replaceChildren(...lines);
}

function plain(words) {
  const line = document.createElement('li');
  line.className = 'text';
  line.textContent = words;
  return line;
}

// ------------------------------------------------------------------ lanes

const lanes = [];
let redisLane = null;
let ticks = null;
let shown = null;
let shownAt = 0;

function button(label, aria, action) {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = label;
  element.setAttribute('aria-label', aria);
  element.addEventListener('click', action);
  return element;
}

function lane(name, badgeElement, buttons) {
  const element = document.createElement('div');
  element.className = 'lane';
  const who = document.createElement('div');
  who.className = 'who';
  const words = document.createElement('span');
  const note = document.createElement('small');
  words.append(name, note);
  who.append(badgeElement, words);
  const group = document.createElement('div');
  group.className = 'buttons';
  group.append(...buttons);
  const picture = svg('svg', { role: 'img', 'aria-label': name });
  element.append(who, group, picture);
  return { element, note, picture, labels: [] };
}

export function makeLanes(parent, press) {
  const mark = document.createElement('span');
  mark.className = 'badge';
  mark.textContent = 'R';
  mark.setAttribute('aria-hidden', 'true');
  const redisButtons = {
    freeze: button('Freeze', 'Freeze Redis', () => press(shown?.redis.frozen ? 'redis-thaw' : 'redis-freeze')),
    restart: button('Restart', 'Restart Redis', () => press('redis-restart')),
    failover: button('Fail over', 'Fail over Redis', () => press('redis-failover')),
  };
  redisLane = { ...lane('Redis', mark, Object.values(redisButtons)), buttons: redisButtons };
  redisLane.element.id = 'redis';
  redisLane.element.classList.add('redis');
  parent.append(redisLane.element);
  SHOPS.forEach((name, index) => {
    const buttons = {
      freeze: button('Freeze', `Freeze ${name}`, () =>
        press(shown?.shops[index].state === 'FROZEN' ? 'thaw' : 'freeze', { shop: index })),
      kill: button('Kill', `Kill ${name}`, () =>
        press(shown?.shops[index].state === 'CLOSED' ? 'start' : 'kill', { shop: index })),
    };
    const made = { ...lane(name, badge(index), Object.values(buttons)), buttons };
    made.element.id = `shop-${index}`;
    made.element.classList.add(`shop-${index}`);
    lanes.push(made);
    parent.append(made.element);
  });
  const axis = document.createElement('div');
  axis.className = 'lane ticks';
  ticks = { picture: svg('svg', { 'aria-hidden': 'true' }), labels: [] };
  axis.append(document.createElement('span'), document.createElement('span'), ticks.picture);
  parent.append(axis);
}

function label(element, name, what) {
  if (element.textContent !== name) {
    element.textContent = name;
    element.setAttribute('aria-label', `${name} ${what}`);
  }
}

export function showLanes(state) {
  shown = state;
  shownAt = performance.now();
  const { redis, shops, sale } = state;
  const { freeze, restart, failover } = redisLane.buttons;
  label(freeze, redis.frozen ? 'Thaw' : 'Freeze', 'Redis');
  freeze.disabled = !redis.frozen && !redis.whole;
  restart.disabled = !redis.whole;
  failover.disabled = !redis.whole;
  const master = redis.servers.find(server => server.role === 'master');
  text(redisLane.note, redisWords(redis, master));
  redisLane.note.className = redis.whole ? '' : 'alert';
  shops.forEach((shop, index) => {
    const { buttons, note } = lanes[index];
    label(buttons.freeze, shop.state === 'FROZEN' ? 'Thaw' : 'Freeze', shop.name);
    label(buttons.kill, shop.state === 'CLOSED' ? 'Start' : 'Kill', shop.name);
    buttons.freeze.disabled = shop.state !== 'OPEN' && shop.state !== 'FROZEN';
    text(note, shop.state === 'OPEN' && sale?.running ? `${shop.waiting} waiting` : STATES[shop.state]);
    note.className = shop.state === 'FROZEN' || shop.state === 'FREEZING' ? 'alert' : '';
  });
  draw(state);
}

function redisWords(redis, master) {
  switch (redis.state) {
    case 'FROZEN': return `${master.name} frozen`;
    case 'RESTARTING': return redis.servers.length ? `${master.name} restarts` : 'starts…';
    case 'FAILING_OVER': return 'no master';
    default: return redis.frozen ? `${master.name} master, one frozen` : `${master.name.slice(-1)} is master`;
  }
}

/** The time at the right edge: now, or the end of the last sale. */
function edge() {
  const { sale, now } = shown;
  const live = now + (calm.matches ? 0 : Math.min(600, performance.now() - shownAt));
  return sale && sale.to ? Math.max(sale.to + 300, sale.from + WINDOW) : sale ? Math.max(live, sale.from + WINDOW)
      : live;
}

function draw(state) {
  const { sale, redis, shops, now } = state;
  text('stage-title', !sale || sale.settings.locked ? 'Holders over time' : 'Purchases over time');
  const width = lanes[0].picture.getBoundingClientRect().width;
  const height = lanes[0].picture.getBoundingClientRect().height;
  const base = sale ? sale.from : now;
  const x = time => (time - base) / WINDOW * width;
  const end = sale?.to ?? now;
  const bands = redis.outages
    .filter(outage => sale && (outage.to ?? now) > sale.from && outage.from < end)
    .map(outage => ({ from: x(outage.from), wide: Math.max(2, x(outage.to ?? Math.min(now, end)) - x(outage.from)),
        text: outage.text }));
  const busy = new Set(sale && sale.settings.locked ? [] : ['shared']);
  lanes.forEach((lane, index) => {
    const parts = bands.map(band => svg('rect', { class: 'outage', x: band.from, y: 0, width: band.wide, height }));
    const labels = [];
    const turns = sale ? sale.turns.filter(turn => turn.shop === index && turn.outcome !== 'LATE') : [];
    for (const turn of turns) {
      const from = x(turn.from);
      const wide = Math.max(1.5, x(turn.to ?? now) - from - 1);
      const stands = turn.outcome === 'WORKING' && shops[index].state === 'FROZEN';
      const kind = turn.outcome === 'REFUSED' ? 'refused' : turn.outcome === 'FAILED' ? 'failed' : stands ? 'stands'
          : [...busy].join('');
      parts.push(svg('rect', { class: `turn ${kind}`, x: from, y: 4, width: wide, height: height - 8, rx: 2 }));
      if (turn.outcome === 'REFUSED') {
        labels.unshift({ from, to: from + wide, words: '✕ late write rejected', short: '✕', name: 'bad', flag: true,
            last: true });
      } else if (stands) {
        labels.push({ from, to: from + wide, words: 'frozen', name: '' });
      }
    }
    lane.labels = labels;
    paint(lane, parts, width, height);
    lane.picture.setAttribute('aria-label', `${SHOPS[index]}: ${turns.length} purchases in the last seconds`);
  });
  const reigns = !sale ? [] : redis.reigns.map((reign, i) => ({
    from: x(Math.max(reign.from, sale.from)),
    to: x(Math.min(redis.reigns[i + 1]?.from ?? end, end)),
    words: `${reign.name} is master`,
    short: reign.name.slice(-1),
    name: '',
  })).filter(reign => reign.to > reign.from);
  redisLane.labels = [
    ...bands.map(band => ({ from: band.from, to: band.from + band.wide, words: `✕ ${band.text}`, short: '✕',
        name: 'bad', flag: true })).reverse(),
    ...reigns.toReversed(),
  ];
  paint(redisLane, [
    ...reigns.map(reign => svg('rect', { class: 'reign', x: reign.from, y: 4, width: reign.to - reign.from,
        height: height - 8, rx: 2 })),
    ...bands.map(band => svg('rect', { class: 'broken', x: band.from, y: 4, width: band.wide, height: height - 8,
        rx: 2 })),
  ], width, height);
  redisLane.picture.setAttribute('aria-label', bands.length ? `Redis: ${bands.map(band => band.text).join(', ')}`
      : 'Redis: no outage');
  const last = Math.ceil((edge() - base) / 1000) + 1;
  ticks.labels = [];
  for (let second = Math.max(0, last - 14); second <= last; second++) {
    if (second % 2 === 0) {
      const from = x(base + second * 1000) + 2;
      ticks.labels.push({ from, to: from, words: `${second} s`, name: 'time', tick: true });
    }
  }
  move();
}

function group(parts) {
  const element = svg('g', { class: 'moving' });
  element.append(...parts);
  return element;
}

function paint(lane, parts, width, height) {
  const hatch = svg('defs');
  const pattern = svg('pattern', { id: 'hatch', width: 8, height: 8, patternUnits: 'userSpaceOnUse',
      patternTransform: 'rotate(45)' });
  pattern.append(svg('line', { class: 'hatch', x1: 0, y1: 0, x2: 0, y2: 8 }));
  hatch.append(pattern);
  lane.picture.replaceChildren(
    ...(lane === lanes[0] ? [hatch] : []),
    svg('line', { class: 'ground', x1: 0, x2: width, y1: height / 2, y2: height / 2 }),
    group(parts),
    lane.picture.querySelector('.labels') ?? svg('g', { class: 'labels' }));
}

/** Moves all lanes to the left as time goes by. Labels stay readable meanwhile. */
function move() {
  if (!shown) {
    return;
  }
  const { width, height } = lanes[0].picture.getBoundingClientRect();
  const left = shown.sale ? Math.max(0, (edge() - WINDOW - shown.sale.from) / WINDOW * width) : 0;
  document.querySelectorAll('#lanes .moving').forEach(each =>
      each.setAttribute('transform', `translate(${(-left).toFixed(1)} 0)`));
  [redisLane, ...lanes].forEach(lane => showLabels(lane.picture, lane.labels, left, { width, y: height / 2 + 4 }));
  showLabels(ticks.picture, ticks.labels, left, { width, y: 11 });
}

function frame() {
  if (!calm.matches) {
    move();
  }
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
