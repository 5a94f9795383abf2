// One lock: its holders, its queue, and what the console has seen of it.

import {clientName, clock, count, duration, el, keyedRows, kindText, printable, setText, show,
    stateMark} from './dom.js';
import {askRelease} from './release.js';
import {createTimeline} from './timeline.js';

export function create(parameters, shared) {
  const kind = parameters.get('kind') ?? 'LOCK';
  const name = parameters.get('name') ?? '';
  const isLock = kind === 'LOCK';
  let latest = null;

  const mark = stateMark('FREE');
  const heading = el('h1', {tabindex: '-1', class: 'name', text: printable(name)});
  const facts = el('p', {class: 'sums'});
  const holders = el('ul', {class: 'holders'});
  const noHolder = el('p', {class: 'empty', text: 'Looking at the store…'});
  const body = el('tbody');
  const queueTitle = el('h2', {id: 'queue-title', text: 'Queue'});
  const queue = el('table', {class: 'queue', 'aria-labelledby': 'queue-title'},
    el('thead', {}, el('tr', {},
      el('th', {scope: 'col', class: 'number', text: 'Place'}),
      el('th', {scope: 'col', text: 'Client'}),
      isLock ? null : el('th', {scope: 'col', text: 'Wants'}),
      el('th', {scope: 'col', class: 'number', text: 'Waiting for'}))),
    body);
  const noQueue = el('p', {class: 'empty', text: 'No client waits.'});
  show(queue, false);
  const timeline = createTimeline();

  function newHolder() {
    return el('li', {},
      el('div', {class: 'who'}, el('span', {class: 'client'}),
          el('span', {class: 'tag', hidden: true, text: 'not confirmed'})),
      el('dl', {},
        ...['Holds for', 'Lease left', 'Token', isLock ? 'Since' : 'As'].map((term) =>
            el('div', {}, el('dt', {text: term}), el('dd')))),
      el('button', {class: 'danger', type: 'button', hidden: true, text: 'Take away…', on: {click: (event) => {
        const item = event.target.closest('li');
        const holder = latest.holders.find((one) => holderKey(one) === item.dataset.key);
        if (holder) {
          askRelease(latest, holder, event.target, heading);
        }
      }}}));
  }

  function fillHolder(item, holder) {
    const [who, list, button] = item.children;
    const client = clientName(holder.client, holder.request);
    setText(who.firstChild, client);
    show(who.lastChild, !holder.confirmed);
    const values = [...list.querySelectorAll('dd')];
    setText(values[0], duration(Date.parse(latest.at) - Date.parse(holder.since)));
    setText(values[1], duration(holder.remainingMillis));
    setText(values[2], holder.fencingToken);
    setText(values[3], isLock ? clock(new Date(holder.since)) : accessText(holder));
    // begins with the visible text, by which voice control finds it
    button.setAttribute('aria-label', `Take away… from ${client}`);
    show(button, shared.allowForce);
  }

  function update(event, data) {
    if (event !== 'lock') {
      return;
    }
    latest = data.locks[0];
    stateMark(latest.state, mark);
    const used = latest.holders.reduce((sum, holder) => sum + holder.permits, 0);
    const texts = [
      count(latest.holders.length, 'holder'),
      `${latest.waitingCallers.toLocaleString('en')} waiting`,
      kind === 'SEMAPHORE' && latest.capacity > 0 ? `${used} of ${count(latest.capacity, 'permit')} in use` : null,
      latest.state === 'KEPT' ? `opens in ${duration(latest.remainingMillis)}` : null,
    ].filter((text) => text !== null);
    facts.replaceChildren(mark, ...(isLock ? [] : [el('span', {text: kindText(kind)})]),
        ...texts.map((text) => el('span', {text})));
    keyedRows(holders, latest.holders, holderKey, newHolder, fillHolder);
    show(holders, latest.holders.length > 0);
    show(noHolder, latest.holders.length === 0);
    setText(noHolder, latest.state === 'KEPT' ? 'No client holds it, but it stays closed for a while.'
        : 'No client holds it.');
    keyedRows(body, latest.queue.slice(0, 200), (waiting) => waiting.request, newWaiting, (row, waiting) => {
      const cells = [...row.children];
      setText(cells[0], waiting.position);
      setText(cells[1], clientName(waiting.client, waiting.request));
      if (!isLock) {
        setText(cells[2], accessText(waiting));
      }
      setText(cells.at(-1), duration(waiting.waitedMillis));
    });
    show(queue, latest.queue.length > 0);
    show(noQueue, latest.queue.length === 0);
    const inside = latest.waitingCallers - latest.queue.reduce((sum, waiting) => sum + waiting.callers, 0);
    const callers = `${count(inside, 'caller')} ${inside === 1 ? 'waits' : 'wait'}`;
    setText(noQueue, inside > 0 ? `No other client waits. ${callers} inside the client that holds the lock.`
        : 'No client waits.');
    timeline.update(data);
  }

  function newWaiting() {
    return el('tr', {}, el('td', {class: 'number place'}), el('td', {class: 'client'}), isLock ? null : el('td'),
        el('td', {class: 'number'}));
  }

  const element = el('div', {},
    el('nav', {class: 'crumb', 'aria-label': 'Back'}, el('a', {href: '#/locks', text: '← All locks'})),
    el('div', {class: 'head'}, heading, facts),
    el('div', {class: 'columns'},
      el('section', {class: 'card', 'aria-labelledby': 'holders-title'},
        el('h2', {id: 'holders-title', text: isLock ? 'Holder' : 'Holders'}), holders, noHolder),
      el('section', {class: 'card', 'aria-labelledby': 'queue-title'}, queueTitle, queue, noQueue)),
    timeline.element);
  return {
    title: printable(name),
    element,
    update,
    shared: () => latest && [...holders.children].forEach((item) =>
        show(item.querySelector('button'), shared.allowForce)),
    parameters: () => ({view: 'lock', kind, name}),
  };
}

function holderKey(holder) {
  return `${holder.request} ${holder.fencingToken}`;
}

function accessText(one) {
  return one.access === 'PERMITS' ? count(one.permits, 'permit') : {READ: 'reader', WRITE: 'writer'}[one.access]
      ?? 'owner';
}
