// The list of locks.

import {announce, count, duration, el, keyedRows, kindText, lockLink, printable, setText, show,
    stateMark} from './dom.js';

const PAUSE = 250; // between the last key and the search
const LAST_PAGE = 200; // as the console counts them, of 10,000 locks

export function create(parameters, shared, follow) {
  const values = {
    search: parameters.get('search') ?? '',
    kind: parameters.get('kind') ?? '',
    state: parameters.get('state') ?? '',
    sort: parameters.get('sort') ?? '',
    page: String(Math.min(LAST_PAGE, Math.max(1, parseInt(parameters.get('page'), 10) || 1))),
  };
  let telling = null;
  let timer = 0;

  const sums = el('p', {class: 'sums'});
  const search = el('input', {id: 'search', type: 'search', autocomplete: 'off', spellcheck: 'false', maxlength: '500',
    placeholder: 'stock:*', 'aria-describedby': 'search-help', on: {input: () => {
      clearTimeout(timer);
      timer = setTimeout(changed, PAUSE);
    }}});
  search.value = values.search;
  const kind = select('kind', values.kind, [['', 'all'], ['LOCK', 'locks'], ['READ_WRITE', 'read-write'],
      ['SEMAPHORE', 'semaphores']]);
  const state = select('state', values.state, [['', 'all'], ['HELD', 'held'], ['CLAIMED', 'claimed'], ['KEPT', 'kept'],
      ['FREE', 'free']]);
  const sort = select('sort', values.sort, [['', 'most waiting'], ['name', 'name']]);
  const body = el('tbody');
  const table = el('table', {class: 'locks'},
    el('caption', {class: 'unseen', text: 'Locks in use'}),
    el('thead', {}, el('tr', {},
      el('th', {scope: 'col', text: 'Name'}),
      el('th', {scope: 'col', text: 'State'}),
      el('th', {scope: 'col', class: 'number', text: 'Waiting'}),
      el('th', {scope: 'col', class: 'number wide', text: 'Holders'}),
      el('th', {scope: 'col', class: 'number wide', text: 'Left'}),
      el('th', {scope: 'col', class: 'number wide', text: 'Token'}))),
    body);
  const empty = el('p', {class: 'empty', text: 'Looking at the store…'});
  const previous = el('button', {type: 'button', text: 'Previous', on: {click: () => turn(-1)}});
  const next = el('button', {type: 'button', text: 'Next', on: {click: () => turn(1)}});
  const shown = el('span');
  const pages = el('nav', {class: 'pages', 'aria-label': 'Parts of the list', hidden: true}, previous, shown, next);
  show(table, false);

  function select(id, value, options) {
    const made = el('select', {id, on: {change: () => changed()}},
      ...options.map(([option, text]) => el('option', {value: option, text})));
    made.value = value;
    return made;
  }

  function changed() {
    clearTimeout(timer);
    Object.assign(values, {search: search.value, kind: kind.value, state: state.value, sort: sort.value, page: '1'});
    look(({found, data}) => data.found === 0 ? 'No lock fits.' : `${found} found.`);
  }

  function turn(step) {
    values.page = String(Number(values.page) + step);
    window.scrollTo(0, 0);
    look(({part}) => part);
  }

  /** Shows what the values ask for, and tells screen readers about it. */
  function look(told) {
    const query = new URLSearchParams(Object.entries(values)
        .filter(([name, value]) => value !== '' && !(name === 'page' && value === '1')));
    history.replaceState(null, '', '#/locks' + (query.size ? '?' + query : ''));
    telling = told;
    follow(wanted());
  }

  function wanted() {
    const text = values.search.trim();
    const pattern = text === '' ? '*' : /[*?]/.test(text) ? text : `*${text}*`;
    return {view: 'locks', pattern, kind: values.kind, state: values.state, sort: values.sort, page: values.page};
  }

  function update(event, data) {
    if (event !== 'locks') {
      return;
    }
    const isFiltered = values.search.trim() !== '' || values.kind !== '' || values.state !== '';
    const found = data.all ? count(data.found, 'lock') : `${data.found.toLocaleString('en')} locks or more`;
    const age = data.ageMillis < 2000 ? null : `counted ${Math.round(data.ageMillis / 1000)} s ago`;
    sums.replaceChildren(...[found, `${data.held.toLocaleString('en')} held`,
        `${data.waiting.toLocaleString('en')} waiting`, age]
      .filter((text) => text !== null).map((text) => el('span', {text})));
    const busiest = Math.max(4, ...data.locks.map((lock) => lock.waiting));
    keyedRows(body, data.locks, (lock) => `${lock.kind} ${lock.name}`, newRow, (row, lock) => fill(row, lock, busiest));
    show(table, data.locks.length > 0);
    show(empty, data.locks.length === 0);
    setText(empty, isFiltered ? 'No lock fits. Change the search or the filters.'
      : 'No lock is in use. A lock appears here while it is held, kept closed or waited for.');
    values.page = String(data.page); // there may be fewer than before
    const end = data.first + data.locks.length;
    const part = `${(data.first + 1).toLocaleString('en')} to ${end.toLocaleString('en')} of ${found}`;
    show(pages, data.found > data.locks.length);
    setText(shown, part);
    enable(previous, data.first > 0, next);
    enable(next, end < data.found, previous);
    if (telling) {
      announce(telling({found, data, part}));
      telling = null;
    }
  }

  /** Enables a button or disables it. The focus does not stay on a disabled one. */
  function enable(button, isEnabled, other) {
    const hasFocus = document.activeElement === button;
    button.disabled = !isEnabled;
    if (hasFocus && !isEnabled) {
      other.disabled = false;
      other.focus();
    }
  }

  const element = el('div', {},
    el('div', {class: 'head'}, el('h1', {tabindex: '-1', text: 'Locks'}), sums),
    el('form', {class: 'filters', role: 'search', 'aria-label': 'Locks', on: {submit: (event) => {
      event.preventDefault();
      changed();
    }}},
    el('div', {class: 'field grow'}, el('label', {for: 'search', text: 'Name'}), search,
      el('span', {class: 'unseen', id: 'search-help',
          text: 'A part of the name, or a pattern: a star stands for any characters, a question mark for one.'})),
    el('div', {class: 'field'}, el('label', {for: 'kind', text: 'Kind'}), kind),
    el('div', {class: 'field'}, el('label', {for: 'state', text: 'State'}), state),
    el('div', {class: 'field'}, el('label', {for: 'sort', text: 'First'}), sort)),
    el('div', {class: 'card'}, table, empty),
    pages);
  return {title: 'Locks', element, update, parameters: wanted};
}

function newRow(lock) {
  const cell = (...children) => el('td', {}, ...children);
  return el('tr', {},
    el('th', {scope: 'row'},
      el('a', {class: 'name', href: lockLink(lock.kind, lock.name), text: printable(lock.name)}),
      lock.kind === 'LOCK' ? null : el('span', {class: 'kind', text: kindText(lock.kind)})),
    cell(stateMark(lock.state)),
    el('td', {class: 'number'}, el('span', {class: 'amount'}, el('span', {class: 'bar', 'aria-hidden': 'true'}),
        el('span'))),
    el('td', {class: 'number wide'}),
    el('td', {class: 'number wide'}),
    el('td', {class: 'number wide token'}));
}

function fill(row, lock, busiest) {
  const [, state, waiting, holders, left, token] = row.children;
  stateMark(lock.state, state.firstChild);
  const amount = waiting.firstChild;
  amount.classList.toggle('none', lock.waiting === 0);
  amount.firstChild.style.width = `${Math.round(100 * lock.waiting / busiest)}%`;
  setText(amount.lastChild, lock.waiting.toLocaleString('en'));
  setText(holders, lock.permits === lock.holders ? lock.holders : `${lock.holders} (${count(lock.permits, 'permit')})`);
  setText(left, lock.remainingMillis === 0 ? '–' : duration(lock.remainingMillis));
  setText(token, lock.fencingToken === '0' ? '–' : lock.fencingToken);
}
