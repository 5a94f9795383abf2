// The servers of the store, and warnings.

import {el, keyedRows, printable, setText, show} from './dom.js';

export function create() {
  const verdict = el('p', {class: 'verdict'});
  const warnings = el('ul', {class: 'warnings'});
  const noWarnings = el('p', {class: 'empty', text: 'There are no warnings.'});
  const body = el('tbody');
  const table = el('table', {class: 'servers', 'aria-labelledby': 'servers-title'},
    el('thead', {}, el('tr', {},
      el('th', {scope: 'col', text: 'Server'}),
      el('th', {scope: 'col', text: 'Role'}),
      el('th', {scope: 'col', text: 'Answers'}),
      el('th', {scope: 'col', class: 'number', text: 'Latency'}),
      el('th', {scope: 'col', class: 'wide', text: 'Version'}))),
    body);
  const empty = el('p', {class: 'empty', text: 'Looking at the store…'});
  show(table, false);

  function update(event, data) {
    if (event !== 'health') {
      return;
    }
    const unusable = data.connected ? 'The console is connected to the store, but locks cannot be acquired.'
      : 'The console has no connection to the store.';
    setText(verdict, data.usable ? 'The console is connected to the store, and locks can be acquired.' : unusable);
    verdict.dataset.good = data.usable;
    keyedRows(warnings, data.warnings, (warning) => warning, (warning) => el('li', {text: printable(warning)}),
        () => {});
    show(warnings, data.warnings.length > 0);
    show(noWarnings, data.warnings.length === 0);
    keyedRows(body, data.nodes, (node) => node.address, newRow, (row, node) => {
      const [server, role, answers, latency, version] = row.children;
      setText(server.lastChild, printable(node.problem));
      show(server.lastChild, node.problem !== '');
      setText(role, node.role.toLowerCase());
      setText(answers.firstChild, node.reachable ? 'yes' : 'no');
      answers.firstChild.dataset.good = node.reachable;
      setText(latency, node.reachable ? `${node.latencyMillis.toFixed(2)} ms` : '–');
      setText(version, printable(node.version));
    });
    show(table, data.nodes.length > 0);
    show(empty, data.nodes.length === 0);
    setText(empty, 'This store does not tell its servers.');
  }

  function newRow(node) {
    return el('tr', {},
      el('th', {scope: 'row'}, el('span', {class: 'name', text: printable(node.address)}),
          el('span', {class: 'kind', hidden: true})),
      el('td'), el('td', {}, el('span', {class: 'good'})), el('td', {class: 'number'}), el('td', {class: 'wide'}));
  }

  const element = el('div', {},
    el('div', {class: 'head'}, el('h1', {tabindex: '-1', text: 'Health'}), verdict),
    el('section', {class: 'card', 'aria-labelledby': 'warnings-title'},
        el('h2', {id: 'warnings-title', text: 'Warnings'}), warnings, noWarnings),
    el('section', {class: 'card', 'aria-labelledby': 'servers-title'}, el('h2', {id: 'servers-title', text: 'Servers'}),
        table, empty));
  return {title: 'Health', element, update, parameters: () => ({view: 'health'})};
}
