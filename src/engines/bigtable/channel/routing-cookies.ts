/**
 * Routing cookies: headers with which a server asks that the next attempt of a call go where this
 * one went, or somewhere else. Their values are opaque.
 */
import type { Metadata } from './vendor/vendor-types.js';

/** Of the names of cookies, which the Go and Java clients recognise by it. */
const prefix = 'x-goog-cbt-cookie-';

/** Events of a call that has metadata (grpc-js, ClientUnaryCall and ClientReadableStream). */
export interface MetadataEvents {
  on(event: 'metadata', listener: (headers: Metadata) => void): unknown;
  on(event: 'status', listener: (status: { readonly metadata?: Metadata }) => void): unknown;
}

/** The cookies of one call, which its attempts share. */
export class RoutingCookies {
  #values: Map<string, string | Buffer> | undefined;

  /** The cookies to send, by name. */
  get values(): readonly (readonly [string, string | Buffer])[] {
    if (this.#values === undefined) return [];
    return [...this.#values];
  }

  /** Takes the cookies of headers or trailers. They replace older ones of the same name. */
  take(metadata: Metadata | undefined): void {
    if (metadata === undefined) return;
    for (const name of Object.keys(metadata.getMap())) {
      if (!name.startsWith(prefix)) continue;
      const value = metadata.get(name).at(-1);
      if (value !== undefined)
        (this.#values ??= new Map<string, string | Buffer>()).set(name, value);
    }
  }

  /** Takes the cookies in the headers and trailers of a call that was just started. */
  takeFrom(call: MetadataEvents): void {
    call.on('metadata', (headers) => this.take(headers));
    call.on('status', ({ metadata }) => this.take(metadata));
  }
}
