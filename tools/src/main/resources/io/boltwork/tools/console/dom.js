// Elements, texts and announcements. Texts from the store are only ever set as text, never as markup.

/** Creates an element. Properties: class, text, data (an object), on (an object of listeners), or any attribute. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) {
      continue;
    }
    if (name === 'class') {
      element.className = value;
    } else if (name === 'text') {
      element.textContent = value;
    } else if (name === 'data') {
      Object.assign(element.dataset, value);
    } else if (name === 'on') {
      Object.entries(value).forEach(([event, listener]) => element.addEventListener(event, listener));
    } else {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets a text if it has changed, so that a selection of the user and a screen reader are not disturbed. */
export function setText(element, text) {
  const value = String(text);
  if (element.textContent !== value) {
    element.textContent = value;
  }
}

/** Sets or removes the attribute hidden. */
export function show(element, visible) {
  if (element.hidden === visible) {
    element.hidden = !visible;
  }
}

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Writes control characters as escapes, as the command does: a name cannot reverse the text after it or hide a part.
 */
export function printable(text) {
  return text.replace(CONTROL, (found) => [...Array(found.length).keys()]
    .map((i) => '\\u' + found.charCodeAt(i).toString(16).padStart(4, '0')).join(''));
}

/** Writes a duration: 0.35 s, 21.3 s, 4 min 5 s, 3 h 12 min. */
export function duration(millis) {
  const time = Math.max(0, millis);
  if (time < 60000) {
    return (time / 1000).toFixed(time < 10000 ? 2 : 1) + ' s';
  }
  const seconds = Math.floor(time / 1000);
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
  if (seconds < 86400) {
    return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
  }
  return `${Math.floor(seconds / 86400)} d ${Math.floor(seconds / 3600) % 24} h`;
}

/** Writes a time of day, with the date if it is not today's. */
export function clock(date) {
  const time = date.toLocaleTimeString([], {hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false});
  return date.toDateString() === new Date().toDateString() ? time : `${date.toISOString().slice(0, 10)} ${time}`;
}

export function count(number, one, many = one + 's') {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

/** Writes a client: checkout@web-3:4711. */
export function clientName(client, request) {
  return client ? printable(`${client.application}@${client.host}:${client.pid}`)
      : `unknown (request ${printable(request)})`;
}

/** Tells screen readers. Only what the user caused or must know goes here, never each look. */
export function announce(text) {
  const announcer = document.getElementById('announcer');
  announcer.textContent = announcer.textContent === text ? text + '\u00a0' : text;
}

export function lockLink(kind, name) {
  return `#/lock?kind=${kind}&name=${encodeURIComponent(name)}`;
}

const KINDS = {LOCK: 'lock', READ_WRITE: 'read-write lock', SEMAPHORE: 'semaphore'};

export function kindText(kind) {
  return KINDS[kind] ?? kind.toLowerCase();
}

const STATES = {
  HELD: ['held', 'A client holds it.'],
  CLAIMED: ['claimed', 'Granted to a waiting client that has not confirmed it yet.'],
  KEPT: ['kept', 'No client has it, but it stays closed for a while.'],
  FREE: ['free', 'No client has it.'],
};

/** Creates a mark for a state, or changes it. The shape tells states apart without colour. */
export function stateMark(state, mark = el('span', {class: 'state'},
    el('span', {class: 'shape', 'aria-hidden': 'true'}), el('span'))) {
  if (mark.dataset.state !== state) {
    const [word, meaning] = STATES[state] ?? [state.toLowerCase(), ''];
    mark.dataset.state = state;
    mark.title = meaning;
    mark.lastChild.textContent = word;
  }
  return mark;
}

/**
 * Makes the rows of a table those of a list. Rows stay the same elements, so that focus and selection stay. While the
 * user points at a row or has the focus in one, rows keep their places.
 */
export function keyedRows(body, items, key, create, update) {
  const old = new Map([...body.children].map((row) => [row.dataset.key, row]));
  const focused = [...body.children].findIndex((row) => row.contains(document.activeElement));
  const isSteady = focused >= 0 || body.matches(':hover');
  const wanted = new Map(items.map((item) => [key(item), item]));
  let order = [...wanted.keys()];
  if (isSteady) {
    const kept = [...old.keys()].filter((name) => wanted.has(name));
    order = [...kept, ...order.filter((name) => !old.has(name))];
  }
  for (const [name, row] of old) {
    if (!wanted.has(name)) {
      row.remove();
    }
  }
  let place = body.firstElementChild;
  for (const name of order) {
    let row = old.get(name);
    if (!row) {
      row = create(wanted.get(name));
      row.dataset.key = name;
    }
    update(row, wanted.get(name));
    if (row === place) {
      place = place.nextElementSibling;
    } else {
      body.insertBefore(row, place);
    }
  }
  // if its row has gone, the keyboard goes on at the next one
  if (focused >= 0 && !body.contains(document.activeElement)) {
    const next = body.children[Math.min(focused, body.children.length - 1)];
    (next?.querySelector('a, button:not([hidden])') ?? document.querySelector('main h1')).focus();
  }
}
