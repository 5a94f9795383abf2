// The question before a lock is taken away.

import {announce, clientName, clock, el, printable, setText, show} from './dom.js';

/**
 * Asks for the name of the lock, and then takes it away from one holder. The focus goes back to the button, or to the
 * heading.
 */
export function askRelease(lock, holder, button, heading) {
  const name = printable(lock.name);
  const client = clientName(holder.client, holder.request);
  const input = el('input', {id: 'confirm', type: 'text', autocomplete: 'off', autocapitalize: 'off',
      spellcheck: 'false', 'aria-describedby': 'confirm-error'});
  const error = el('p', {class: 'error', id: 'confirm-error', role: 'alert'});
  const confirm = el('button', {class: 'danger solid', type: 'submit', text: 'Take away'});
  const dialog = el('dialog', {'aria-labelledby': 'dialog-title'},
    el('form', {method: 'dialog', on: {submit: release}},
      el('h2', {id: 'dialog-title', text: 'Take this lock away?'}),
      el('dl', {},
        el('div', {}, el('dt', {text: 'Lock'}), el('dd', {class: 'name', text: name})),
        el('div', {}, el('dt', {text: 'Loses it'}), el('dd', {class: 'client', text: client})),
        el('div', {}, el('dt', {text: 'Since'}), el('dd', {text: clock(new Date(holder.since))})),
        el('div', {}, el('dt', {text: 'Token'}), el('dd', {class: 'token', text: holder.fencingToken}))),
      el('p', {text: 'A last resort, for a holder that hangs. Until the holder learns of it, two clients believe they'
        + ' hold the lock. The lock of a dead process is free by itself when its lease has ended.'}),
      el('div', {class: 'field'}, el('label', {for: 'confirm', text: 'Type the name of the lock to confirm'}), input),
      error,
      el('div', {class: 'buttons'},
        el('button', {type: 'button', text: 'Cancel', on: {click: () => dialog.close()}}),
        confirm)));
  show(error, false);

  function fail(text) {
    setText(error, text);
    show(error, true);
    input.focus();
  }

  async function release(event) {
    event.preventDefault();
    if (input.value.trim() !== name && input.value !== lock.name) {
      fail(input.value === '' ? 'The name is missing.' : 'This is not the name of the lock.');
      return;
    }
    confirm.disabled = true;
    try {
      const answer = await fetch('api/release', {
        method: 'POST',
        headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({kind: lock.kind, name: lock.name, token: holder.fencingToken, confirm: lock.name}),
      });
      const result = await answer.json();
      if (!answer.ok) {
        fail(`Nothing was changed: ${printable(result.message)}`);
        return;
      }
      dialog.close();
      announce(result.released
        ? `The lock was taken away from ${client}, which is being told.`
        : 'Nothing was changed: this holder has the lock no more.');
    } catch {
      fail('There was no answer. Look at the holder before you try again.');
    } finally {
      confirm.disabled = false;
    }
  }

  dialog.addEventListener('close', () => {
    dialog.remove();
    (button.isConnected ? button : heading).focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  input.focus();
}
