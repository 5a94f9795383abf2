// The clients of the store.

import {count, duration, el, keyedRows, lockLink, printable, setText, show} from './dom.js';

const BUSIEST = 3;

export function create(parameters, shared) {
  const sums = el('p', {class: 'sums'});
  const body = el('tbody');
  const busiestHead = el('th', {scope: 'col', text: 'Busiest locks'});
  const table = el('table', {class: 'clients'},
    el('caption', {class: 'unseen', text: 'Clients'}),
    el('thead', {}, el('tr', {},
      el('th', {scope: 'col', text: 'Application'}),
      el('th', {scope: 'col', text: 'Host'}),
      el('th', {scope: 'col', class: 'number', text: 'Process'}),
      el('th', {scope: 'col', class: 'number wide', text: 'Since'}),
      busiestHead)),
    body);
  const empty = el('p', {class: 'empty', text: 'Looking at the store…'});
  show(table, false);

  function update(event, data) {
    if (event !== 'clients') {
      return;
    }
    const knowsBusiest = data.clients.some((client) => client.busiest);
    show(busiestHead, knowsBusiest);
    const sorted = data.clients.toSorted((a, b) => a.application.localeCompare(b.application)
        || a.since.localeCompare(b.since));
    sums.replaceChildren(el('span', {text: count(sorted.length, 'client')}),
        el('span', {text: count(new Set(sorted.map((client) => client.host)).size, 'host')}));
    keyedRows(body, sorted, (client) => client.id, newRow, (row, client) => {
      setText(row.children[3], duration(Date.now() - Date.parse(client.since)));
      show(row.children[4], knowsBusiest);
      if (knowsBusiest) {
        row.children[4].replaceChildren(...(client.busiest ?? []).slice(0, BUSIEST)
          .map((lock) => el('a', {class: 'name', href: lockLink(lock.kind, lock.name), text: printable(lock.name)})));
      }
    });
    show(table, sorted.length > 0);
    show(empty, sorted.length === 0);
    setText(empty, 'No client is connected.');
  }

  function newRow(client) {
    const isThis = client.pid === shared.pid && client.application === 'boltwork console';
    return el('tr', {},
      el('th', {scope: 'row'}, printable(client.application),
          isThis ? el('span', {class: 'tag', text: 'this console'}) : null,
        el('span', {class: 'kind', text: printable(client.id)})),
      el('td', {class: 'host', text: printable(client.host)}),
      el('td', {class: 'number', text: client.pid}),
      el('td', {class: 'number wide', title: client.since}),
      el('td', {class: 'busiest', hidden: true}));
  }

  const element = el('div', {},
    el('div', {class: 'head'}, el('h1', {tabindex: '-1', text: 'Clients'}), sums),
    el('div', {class: 'card'}, table, empty));
  return {title: 'Clients', element, update, parameters: () => ({view: 'clients'})};
}
