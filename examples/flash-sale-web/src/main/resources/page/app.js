// Receives the state of the demo and shows it. Presses buttons.
import { showShelf, showChart } from './shapes.js';
import { makeLanes, showLanes, showLock } from './stage.js';
import { showResults, showCode } from './results.js';

const SILENCE = 2000;

export const at = id => document.getElementById(id);

export function text(id, value) {
  const element = typeof id === 'string' ? at(id) : id;
  const shown = String(value);
  if (element.textContent !== shown) {
    element.textContent = shown;
  }
}

export const seconds = millis => millis < 9950 ? `${(millis / 1000).toFixed(1)} s` : `${Math.round(millis / 1000)} s`;
export const wait = millis => millis < 1000 ? `${millis} ms` : seconds(millis);

let heardAt = performance.now();
let heardTime = new Date();
let latest = null;
let code = null;
let newsShown = 0;

// ------------------------------------------------------------------ buttons

export async function press(action, more = {}) {
  text('message', '');
  try {
    const answer = await fetch('press', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ action, ...more }),
    });
    if (!answer.ok) {
      text('message', (await answer.json()).error);
    }
  } catch {
    text('message', 'The demo does not answer.');
  }
}

function begin(locked) {
  if (!at('controls').reportValidity()) {
    return;
  }
  press('begin', {
    sale: {
      buyers: at('buyers').valueAsNumber,
      items: at('items').valueAsNumber,
      workMillis: at('work').valueAsNumber,
      kind: at('kind').value,
      fifo: at('order').value === 'fifo',
      locked,
    },
  });
}

at('controls').addEventListener('submit', event => {
  event.preventDefault();
  begin(true);
});
at('without').addEventListener('click', () => begin(false));
at('stop').addEventListener('click', () => press('stop'));
at('freeze-holder').addEventListener('click', () => press('freeze-holder'));
at('kind').addEventListener('change', () => showCode(code));
at('order').addEventListener('change', () => showCode(code));
makeLanes(at('lanes'), press);

// ------------------------------------------------------------------ the state

function show(state) {
  latest = state;
  const sale = state.sale;
  const running = Boolean(sale?.running);
  at('with').disabled = running || !state.ready;
  at('without').disabled = running || !state.ready;
  at('stop').disabled = !running;
  for (const id of ['buyers', 'items', 'work', 'kind', 'order']) {
    at(id).disabled = running;
  }
  text('phase', phase(state));
  showTiles(sale);
  showShelf(at('shelf'), sale, at('items').valueAsNumber || 0);
  showChart(at('chart'), sale);
  showLock(state);
  showLanes(state);
  showNews(state.news);
  showResults(state);
  showLinks(state.shops);
}

function phase(state) {
  const sale = state.sale;
  if (!state.ready) {
    return state.redis.servers.length ? 'The shops are opening…' : 'The servers start…';
  }
  if (!sale) {
    return 'Ready for a sale';
  }
  if (sale.running) {
    const frozen = state.shops.filter(shop => shop.state === 'FROZEN');
    const only = sale.waiting + sale.inside > 0 && state.shops.every(shop => shop.state !== 'OPEN' || !shop.waiting);
    return frozen.length && only && state.now - sale.from > 1500
      ? `Buyers wait in ${frozen.map(shop => shop.name).join(' and ')}, which is frozen`
      : `Sale ${sale.number} is running, ${sale.settings.locked ? 'with the lock' : 'without a lock'}`;
  }
  const figures = sale.figures;
  return figures.tooMany > 0 ? `Sale ${sale.number}: ${figures.tooMany} sold too many` : `Sale ${sale.number} is over`;
}

function showTiles(sale) {
  const figures = sale?.figures;
  text('stock', sale?.stock ?? '–');
  text('sold', figures?.sold ?? '–');
  text('tooMany', figures?.tooMany ?? '–');
  at('tooMany-tile').classList.toggle('wrong', figures?.tooMany > 0);
  text('waiting', sale?.waiting ?? '–');
  text('late', figures?.late ?? '–');
  text('noAnswer', figures ? figures.noAnswer + figures.busy + figures.refused : '–');
  text('perSecond', figures?.perSecond == null ? '–' : figures.perSecond.toFixed(1));
  ['p50', 'p95', 'p99'].forEach((id, i) => text(id, figures?.waits ? wait(figures.waits[i]) : '–'));
}

const ICONS = { PLAIN: '·', GOOD: '✓', WARNING: '!', REJECTED: '✕' };

function showNews(news) {
  const newer = news.filter(item => item.id > newsShown).reverse();
  for (const item of newer) {
    const line = document.createElement('li');
    line.className = item.tone;
    const icon = document.createElement('span');
    icon.textContent = ICONS[item.tone];
    icon.setAttribute('aria-hidden', 'true');
    const words = document.createElement('span');
    words.textContent = item.text;
    line.append(icon, words);
    at('news').prepend(line);
    newsShown = item.id;
  }
  while (at('news').children.length > 40) {
    at('news').lastChild.remove();
  }
}

let linksKey = null;

function showLinks(shops) {
  const open = shops.filter(shop => shop.locks);
  const key = open.map(shop => shop.locks).join();
  if (key === linksKey) {
    return;
  }
  linksKey = key;
  const parts = ['The locks as each shop’s /actuator/locks shows them: '];
  open.forEach((shop, i) => {
    const link = document.createElement('a');
    link.href = shop.locks;
    link.textContent = shop.name;
    parts.push(...(i ? [', '] : []), link);
  });
  at('links').replaceChildren(...(open.length ? parts : ['No shop is open.']));
}

// ------------------------------------------------------------------ the connection

function connected(is) {
  document.body.classList.toggle('stale', !is);
  if (is && !at('lost').hidden) {
    at('lost').hidden = true;
  } else if (!is && at('lost').hidden) {
    at('lost').hidden = false;
    text('lost',
        `✕ The connection to the demo is lost. The figures stand still since ${heardTime.toLocaleTimeString('en-GB')}.`
      + ' The page connects again by itself.');
    document.querySelectorAll('main button, .go button').forEach(button => { button.disabled = true; });
  }
}

const events = new EventSource('events');
events.onmessage = event => {
  const state = JSON.parse(event.data);
  heardAt = performance.now();
  heardTime = new Date();
  if (latest && state.news.length && state.news[0].id < newsShown) { // the demo was started again
    newsShown = 0;
    at('news').replaceChildren();
  }
  connected(true);
  show(state);
};
events.onerror = () => {
  if (latest) {
    connected(false);
  }
};
setInterval(() => {
  if (performance.now() - heardAt > SILENCE) {
    connected(false);
  }
}, 300);

code = await (await fetch('code')).json();
showCode(code);
