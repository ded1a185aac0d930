/** A studio on loopback, and a client with the types of the protocol. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStudio, type Studio, type StudioOptions } from '../../../src/tools/studio/index.js';
import type { StudioCalls, StudioStreams } from '../../../src/tools/studio/protocol/calls.js';
import type { StudioFailure } from '../../../src/tools/studio/protocol/failure.js';
import { entities } from './entities.js';

/** A page as a build would leave it. */
export function writePage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-studio-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Studio</title>');
  writeFileSync(join(folder, 'app-0a1b2c3d.js'), 'export {};');
  writeFileSync(join(folder, 'secret.key'), 'a type that is not served');
  return folder;
}

/** A response with its body as text. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a client sends. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request as it is: `fetch` would choose Host and Origin itself. */
export function sendTo(port: number, path: string, sent: Sent = {}): Promise<Answer> {
  const { method = 'GET', headers, body } = sent;
  return new Promise((resolve, reject) => {
    // A connection for each request: one that is kept may be closed when it is used again.
    const to = { host: '127.0.0.1', port, path, method, headers, agent: false };
    const call = request(to, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode!, headers: response.headers, body: text });
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

type Request<N> = N extends keyof StudioCalls
  ? StudioCalls[N]['request']
  : N extends keyof StudioStreams
    ? StudioStreams[N]['request']
    : never;

/** A studio that was opened in a browser, so to speak. */
export class StudioClient {
  readonly studio: Studio;
  readonly cookie: string;
  readonly #folder: string;

  private constructor(studio: Studio, cookie: string, folder: string) {
    this.studio = studio;
    this.cookie = cookie;
    this.#folder = folder;
  }

  static async open(url: string, options: Partial<StudioOptions> = {}): Promise<StudioClient> {
    const folder = writePage();
    const studio = await startStudio(url, { entities, page: folder, write: true, ...options });
    const { pathname, search } = new URL(studio.link);
    const { headers } = await sendTo(studio.port, `${pathname}${search}`);
    return new StudioClient(studio, headers['set-cookie']![0].split(';')[0], folder);
  }

  /** The answer of any call, whatever it is. */
  send(path: string, sent: Sent = {}): Promise<Answer> {
    const headers = { cookie: this.cookie, ...sent.headers };
    return sendTo(this.studio.port, path, { ...sent, headers });
  }

  post(name: string, body: unknown): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.send(`/api/${name}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** Calls that succeed. */
  async call<N extends keyof StudioCalls>(
    name: N,
    body: Request<N>,
  ): Promise<StudioCalls[N]['response']> {
    const { status, body: text } = await this.post(name, body);
    if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
    return JSON.parse(text) as StudioCalls[N]['response'];
  }

  /** All lines of a stream. */
  async lines<N extends keyof StudioStreams>(
    name: N,
    body: Request<N>,
  ): Promise<StudioStreams[N]['line'][]> {
    const { status, body: text } = await this.post(name, body);
    if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as StudioStreams[N]['line']);
  }

  /** A call that fails. */
  async failure(
    name: keyof StudioCalls | keyof StudioStreams,
    body: unknown,
  ): Promise<StudioFailure & { readonly status: number }> {
    const { status, body: text } = await this.post(name, body);
    return { status, ...(JSON.parse(text) as StudioFailure) };
  }

  async close(): Promise<void> {
    await this.studio.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The lines of one type. */
export function ofType<L extends { readonly type: string }, T extends L['type']>(
  lines: readonly L[],
  type: T,
): readonly Extract<L, { readonly type: T }>[] {
  return lines.filter((line): line is Extract<L, { readonly type: T }> => line.type === type);
}

/** Base64 of text or bytes. */
export function base64(value: string | Uint8Array): string {
  return Buffer.from(value).toString('base64');
}
