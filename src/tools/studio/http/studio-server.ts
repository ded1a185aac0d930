/** The HTTP server of a studio, on this machine alone. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultTexts } from '../../../base/index.js';
import type { StudioContext } from '../context.js';
import { calls, streams } from '../handlers.js';
import { RequestFields } from '../request-fields.js';
import { StudioError } from '../studio-error.js';
import { Guard } from './guard.js';
import { PageFiles } from './page-files.js';
import { readRequest } from './read-body.js';
import { send, sendError, sendJson, sendLines } from './send.js';
import { runTransfer } from './transfer-route.js';

/** The only address at which it listens. */
const host = '127.0.0.1';

/** A server that answers for one context. */
export class StudioServer {
  readonly guard = new Guard();
  readonly #context: StudioContext;
  readonly #files: PageFiles;
  readonly #server: Server;

  /** `folder` has the files of the page. */
  constructor(context: StudioContext, folder: string) {
    this.#context = context;
    this.#files = new PageFiles(folder);
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Listens; 0 takes any free port. Rejects with the error of the system. */
  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.guard.listenAt(this.port);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends all requests. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort(new Error('the page has gone'));
    });
    try {
      await this.#route(request, response, gone.signal);
    } catch (error) {
      if (!response.destroyed) sendError(response, error);
    }
  }

  async #route(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const { method = '', headers } = request;
    this.guard.assertOwn({ method, headers });
    const url = urlOf(request);
    const token = url.searchParams.get('token');
    if (method === 'GET' && url.pathname === '/' && token !== null) {
      this.#enter(response, token);
      return;
    }
    this.guard.assertKnown({ method, headers });
    const [, area, name] = url.pathname.split('/');
    if (area === 'transfer' && (method === 'GET' || method === 'PUT'))
      await runTransfer(this.#context.transfers, name ?? '', request, response, signal);
    else if (area === 'api' && method === 'POST') await this.#call(name, request, response, signal);
    else if (area !== 'api' && method === 'GET') await this.#sendFile(url.pathname, response);
    else throw new StudioError('NOT_FOUND', faults.noRoute);
  }

  /**
   * Gives the browser its cookie. A page that loads the next one, and no redirect: after a link on
   * another site, browsers send a strict cookie only with what our own page asks for.
   */
  #enter(response: ServerResponse, token: string): void {
    const cookie = this.guard.cookieFor(token);
    const html =
      '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">' +
      '<title>Rowsmith Studio</title>';
    send(response, 200, html, {
      'content-type': 'text/html; charset=utf-8',
      'set-cookie': cookie,
    });
  }

  async #call(
    name: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const call = { context: this.#context, request: await fieldsOf(request), signal };
    if (isNamed(calls, name)) sendJson(response, 200, await calls[name](call));
    else if (isNamed(streams, name)) await sendLines(response, streams[name](call), signal);
    else throw new StudioError('NOT_FOUND', faults.noRoute);
  }

  async #sendFile(path: string, response: ServerResponse): Promise<void> {
    const { bytes, type, isHashed } = await this.#files.read(path);
    const cache = isHashed ? 'private, max-age=31536000, immutable' : 'no-store';
    send(response, 200, bytes, { 'content-type': type, 'cache-control': cache });
  }
}

/** Throws BAD_REQUEST for an address that is none. */
function urlOf({ url = '/' }: IncomingMessage): URL {
  const base = `http://${host}`;
  if (URL.canParse(url, base)) return new URL(url, base);
  throw new StudioError('BAD_REQUEST', faults.wrongAddress);
}

async function fieldsOf(request: IncomingMessage): Promise<RequestFields> {
  return new RequestFields(await readRequest(request));
}

function isNamed<T extends object>(
  handlers: T,
  name: string | undefined,
): name is keyof T & string {
  return name !== undefined && Object.hasOwn(handlers, name);
}

const faults = {
  wrongAddress: { problem: 'the request has no address that can be read' },
  noRoute: {
    problem: 'there is no such call',
    fix: 'reload the page: it may be of another version',
  },
} satisfies FaultTexts;
