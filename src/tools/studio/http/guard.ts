/** Who may talk to the studio: the browser that opened its link, and no page but its own. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FaultTexts } from '../../../base/index.js';
import { StudioError } from '../studio-error.js';

/** What a request is judged by. */
export interface JudgedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * The secrets of a studio. A token stands in a link; the browser that opens it gets a cookie with
 * another secret, so that a link that is seen later tells nothing about the cookie.
 */
export class Guard {
  /** The token of the printed link. */
  readonly token = newSecret();
  readonly #session = newSecret();
  /** Tokens that work once. */
  readonly #once = new Set<string>();
  #hosts: readonly string[] = [];
  #cookie = '';

  /** The port is known once the server listens. Cookies are shared by the ports of a host. */
  listenAt(port: number): void {
    this.#hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
    this.#cookie = `rowsmith-studio-${port}`;
  }

  /**
   * A token that works once: other users of the machine can see the command line of the program
   * that opens a browser.
   */
  tokenForOnce(): string {
    const token = newSecret();
    this.#once.add(token);
    return token;
  }

  /**
   * Throws FORBIDDEN for a request to another host, which is how a foreign name that leads here is
   * told, and for one that another site has made.
   */
  assertOwn({ method, headers }: JudgedRequest): void {
    const { host = '', origin } = headers;
    if (!this.#hosts.includes(host.toLowerCase()))
      throw new StudioError('FORBIDDEN', faults.foreignHost(this.#hosts[0]));
    if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
      throw new StudioError('FORBIDDEN', faults.foreignOrigin);
    const site = headers['sec-fetch-site'];
    // A link on another site may lead here; it gets no cookie, and so no data.
    const isAllowed = site === undefined || site === 'same-origin' || site === 'none';
    if (!isAllowed && method !== 'GET') throw new StudioError('FORBIDDEN', faults.foreignOrigin);
  }

  /** Throws UNAUTHORIZED without the cookie. */
  assertKnown({ headers }: JudgedRequest): void {
    const given = cookieOf(headers.cookie, this.#cookie);
    if (given === undefined || !isSame(given, this.#session))
      throw new StudioError('UNAUTHORIZED', faults.unknownBrowser);
  }

  /** The cookie for a token. Throws UNAUTHORIZED for a wrong one, and one that was used up. */
  cookieFor(token: string): string {
    const once = [...this.#once].find((each) => isSame(each, token));
    if (once !== undefined) this.#once.delete(once);
    else if (!isSame(token, this.token)) throw new StudioError('UNAUTHORIZED', faults.wrongToken);
    return `${this.#cookie}=${this.#session}; Path=/; HttpOnly; SameSite=Strict`;
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** In a time that does not depend on where they differ. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

const faults = {
  foreignHost: (host: string) => ({
    problem: "the request names a host that is not the studio's",
    fix: `open http://${host}`,
  }),
  foreignOrigin: {
    problem: 'the request comes from another site',
    fix: 'open the link that the terminal has printed',
  },
  unknownBrowser: {
    problem: 'the request has no cookie of this studio',
    fix: 'open the link that the terminal has printed',
  },
  wrongToken: {
    problem: 'the link is from another studio, or it worked once and was used',
    fix: 'open the link that the terminal has printed',
  },
} satisfies FaultTexts;
