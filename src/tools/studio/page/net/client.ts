/** Calls of the server: one JSON value, or lines that come as they are found. */
import { signal } from '@preact/signals';
import type { StudioCalls, StudioStreams } from '../../protocol/calls.js';
import type { StudioFailure } from '../../protocol/failure.js';

/** A call that failed, with what the server said about it. */
export class CallFailure extends Error {
  readonly failure: StudioFailure;

  constructor(failure: StudioFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Whether the last call reached the server. */
export const connected = signal(true);

type Line<N extends keyof StudioStreams> = Exclude<
  StudioStreams[N]['line'],
  { readonly type: 'error' }
>;

const lost: StudioFailure = {
  code: 'CONNECTION_LOST',
  message: 'The studio does not answer.',
  fix: 'It ends with its terminal. Start `rowsmith studio` again and open the link it prints.',
};

const lastLines = new Set(['end', 'report', 'done']);

/** The response of a call. */
export async function call<N extends keyof StudioCalls>(
  name: N,
  request: StudioCalls[N]['request'],
  cancel?: AbortSignal,
): Promise<StudioCalls[N]['response']> {
  const response = await post(name, request, cancel);
  try {
    return (await response.json()) as StudioCalls[N]['response'];
  } catch (error) {
    throw broken(error, cancel);
  }
}

/** The lines of a stream, without the one that reports an error: that is thrown. */
export async function* lines<N extends keyof StudioStreams>(
  name: N,
  request: StudioStreams[N]['request'],
  cancel?: AbortSignal,
): AsyncGenerator<Line<N>> {
  const response = await post(name, request, cancel);
  let last: string | undefined;
  for await (const text of textLines(response, cancel)) {
    const line = JSON.parse(text) as StudioStreams[N]['line'];
    if (line.type === 'error') throw new CallFailure(line.error);
    last = line.type;
    yield line as Line<N>;
  }
  if (last === undefined || !lastLines.has(last)) throw broken(undefined, cancel);
}

/** What to show for anything that was thrown; undefined for a call that was cancelled. */
export function failureOf(error: unknown): StudioFailure | undefined {
  if (error instanceof CallFailure) return error.failure;
  if (error instanceof DOMException && error.name === 'AbortError') return undefined;
  return { code: 'PAGE_FAULT', message: 'The page failed.', problem: String(error) };
}

async function post(name: string, request: unknown, cancel?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: cancel,
    });
  } catch (error) {
    throw broken(error, cancel);
  }
  connected.value = true;
  if (response.ok) return response;
  throw new CallFailure(await described(response));
}

async function described(response: Response): Promise<StudioFailure> {
  try {
    return (await response.json()) as StudioFailure;
  } catch {
    const problem = `The status is ${response.status}.`;
    return { code: 'INTERNAL', message: 'The response cannot be read.', problem };
  }
}

function broken(error: unknown, cancel: AbortSignal | undefined): unknown {
  if (cancel?.aborted) return new DOMException('cancelled', 'AbortError');
  if (error instanceof SyntaxError) return error;
  connected.value = false;
  return new CallFailure(lost);
}

async function* textLines(response: Response, cancel?: AbortSignal): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const parts = (rest + value).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) if (part !== '') yield part;
    }
    if (rest !== '') yield rest;
  } catch (error) {
    throw broken(error, cancel);
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
