// The connection to the console: one stream of events for what the page shows now.

const SILENCE = 9000; // the console sends something every three seconds

/** Follows views. The listener gets (event, data) for each event, and changes of the connection by onState(state). */
export class Live {
  #listener;
  #onState;
  #source = null;
  #query = '';
  #heard = 0;
  #state = '';

  constructor(listener, onState) {
    this.#listener = listener;
    this.#onState = onState;
    setInterval(() => this.#watch(), 1000);
    // a page in the background needs nothing, and browsers open only six connections to one host
    document.addEventListener('visibilitychange', () => document.hidden ? this.#close() : this.#open());
    window.addEventListener('pagehide', () => this.#close());
    window.addEventListener('pageshow', (event) => event.persisted && this.#open());
  }

  follow(parameters) {
    this.#query = new URLSearchParams(parameters).toString();
    this.#open();
  }

  #open() {
    this.#close();
    const source = new EventSource('api/live?' + this.#query);
    this.#source = source;
    this.#heard = Date.now();
    for (const event of ['hello', 'beat', 'health', 'locks', 'lock', 'clients', 'problem']) {
      source.addEventListener(event, (message) => {
        if (source === this.#source) {
          this.#heard = Date.now();
          this.#become('live');
          this.#listener(event, JSON.parse(message.data));
        }
      });
    }
    source.addEventListener('error', () => source === this.#source && this.#failed());
  }

  #close() {
    this.#source?.close();
    this.#source = null;
  }

  async #failed() {
    this.#become('lost');
    const source = this.#source;
    if (source.readyState !== EventSource.CLOSED) {
      return; // the browser tries again
    }
    try {
      const session = await fetch('api/session');
      if (session.status === 401) {
        this.#become('stranger');
      }
    } catch {
      // still lost
    }
  }

  #watch() {
    if (!this.#source || document.hidden || this.#state === 'stranger') {
      return;
    }
    if (Date.now() - this.#heard > SILENCE) {
      this.#become('lost');
      this.#open();
    }
  }

  #become(state) {
    if (state !== this.#state) {
      this.#state = state;
      this.#onState(state);
    }
  }
}
