// The frame of the page: which view is shown, the state of the connection, problems of the store.

import {announce, clock, el, printable, setText, show} from './dom.js';
import {Live} from './live.js';
import * as locks from './locks.js';
import * as lock from './lock.js';
import * as clients from './clients.js';
import * as health from './health.js';

const VIEWS = {locks, lock, clients, health};
const main = document.getElementById('main');
const banner = document.getElementById('banner');

let view = null;
let linkState = 'connecting';
let problem = '';
let lastLook = null;
const shared = {allowForce: false, pid: 0};

function route() {
  const [name, query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return {name: Object.hasOwn(VIEWS, name) ? name : 'locks', parameters: new URLSearchParams(query)};
}

function open(isFirst) {
  const {name, parameters} = route();
  for (const link of document.querySelectorAll('nav a')) {
    const isCurrent = link.dataset.view === (name === 'lock' ? 'locks' : name);
    isCurrent ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current');
  }
  if (view?.name === name && view.keeps?.(parameters)) {
    return;
  }
  view = VIEWS[name].create(parameters, shared, (changed) => live.follow(changed));
  view.name = name;
  main.replaceChildren(view.element);
  document.title = `${view.title} – Boltwork console`;
  problem = '';
  lastLook = null;
  frame();
  if (!isFirst) {
    window.scrollTo(0, 0);
    main.querySelector('h1').focus();
  }
  live.follow(view.parameters());
}

function heard(event, data) {
  if (event === 'hello') {
    Object.assign(shared, data);
    setText(document.getElementById('mode'), data.allowForce
      ? 'This console may take locks away.'
      : 'This console only looks. To take locks away, start it with --allow-force.');
    view.shared?.();
  } else if (event === 'problem') {
    if (!problem) {
      announce('The store does not answer.');
    }
    problem = data.message;
    frame();
  } else if (event === 'health') {
    headline(data);
    view.update(event, data);
  } else if (event !== 'beat') {
    if (problem) {
      announce('The store answers again.');
      problem = '';
    }
    lastLook = new Date();
    view.update(event, data);
    frame();
  }
}

function headline(data) {
  const badge = document.getElementById('warnings');
  const troubles = data.warnings.length + data.nodes.filter((node) => !node.reachable).length;
  show(badge, troubles > 0);
  if (badge.dataset.troubles !== String(troubles)) {
    badge.dataset.troubles = troubles;
    badge.replaceChildren(String(troubles), el('span', {class: 'unseen',
        text: troubles === 1 ? ' problem' : ' problems'}));
  }
  const servers = data.nodes.filter((node) => node.role !== 'SENTINEL');
  setText(document.getElementById('store'), servers.length === 0 ? ''
    : printable(servers[0].address) + (servers.length > 1 ? ` +${servers.length - 1}` : ''));
}

function frame() {
  const link = document.getElementById('link');
  const isLost = linkState === 'lost' || linkState === 'stranger';
  link.dataset.state = isLost ? 'lost' : problem ? 'problem' : linkState;
  setText(document.getElementById('link-text'), isLost ? 'Connection lost' : problem ? 'Store silent'
    : linkState === 'live' ? 'Live' : 'Connecting');
  const seen = lastLook ? ` The page shows what was seen at ${clock(lastLook)}.` : '';
  const text = linkState === 'stranger'
    ? 'The console was started anew. Open the URL that it has printed.'
    : isLost ? `The connection to the console is lost. The page tries again.${seen}`
      : problem ? `The store does not answer: ${printable(problem)}.${seen}` : '';
  setText(document.getElementById('banner-text'), text);
  show(banner, text !== '');
  document.body.classList.toggle('stale', text !== '');
}

const live = new Live(heard, (state) => {
  const before = linkState;
  linkState = state;
  frame();
  if (state === 'lost' || state === 'stranger') {
    announce(document.getElementById('banner-text').textContent);
  } else if (before === 'lost') {
    announce('The connection is back.');
  }
});

document.getElementById('skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, select, textarea, dialog');
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const search = document.getElementById('search');
    if (search) {
      event.preventDefault();
      search.focus();
      search.select();
    }
  }
});
window.addEventListener('hashchange', () => location.hash.startsWith('#/') && open(false));
open(true);
