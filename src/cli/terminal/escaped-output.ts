/** Data on a terminal: rows of an export, with their control characters escaped. */
import { Writable } from 'node:stream';
import { escapeControls, escapeJsonControls } from './escape.js';
import type { Output } from './output.js';

/** Formats of rows. In JSON, escapes are escapes of JSON. */
type Format = 'jsonl' | 'csv';

/** A stream of UTF-8 to a terminal. Line feeds and tabs stay, everything else is made visible. */
export class EscapedOutput extends Writable {
  readonly #out: Output;
  readonly #escape: (text: string) => string;
  /** Characters may be split between chunks. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(out: Output, format: Format) {
    super();
    this.#out = out;
    this.#escape = format === 'jsonl' ? escapeJsonControls : (text) => escapeControls(text, false);
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#out.write(this.#escape(this.#decoder.decode(chunk, { stream: true })));
    done();
  }
}
