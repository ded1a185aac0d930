/** Opens the link of a running studio as a browser does, without one. */
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** What a browser gets from the link: the document, and its first script. */
export interface VisitedPage {
  readonly status: number;
  readonly title: string | undefined;
  /** Its length; undefined if the document has no script, or there is no such file. */
  readonly scriptBytes: number | undefined;
}

/** Follows the link: the token becomes a cookie, and the cookie opens the page. */
async function visitStudio(link: string): Promise<VisitedPage> {
  const { origin } = new URL(link);
  const entered = await fetch(link, { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const get = (path: string): Promise<Response> =>
    fetch(new URL(path, origin), { headers: { cookie } });
  const document = await get('/');
  const html = await document.text();
  const script = /<script[^>]* src="([^"]+)"/.exec(html)?.[1];
  const loaded = script === undefined ? undefined : await get(script);
  return {
    status: document.status,
    title: /<title>(.*?)<\/title>/.exec(html)?.[1],
    scriptBytes: loaded?.ok === true ? (await loaded.arrayBuffer()).byteLength : undefined,
  };
}

/** Waits for the link that a process prints, visits it, and ends the process as Ctrl-C does. */
export async function visitStudioOf(
  child: ChildProcessByStdio<null, Readable, null>,
): Promise<{ readonly page: VisitedPage | undefined; readonly exit: readonly unknown[] }> {
  const ended = once(child, 'exit');
  let output = '';
  let page: VisitedPage | undefined;
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    output += String(chunk);
    const link = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+(?=\n)/.exec(output)?.[0];
    if (link === undefined || page !== undefined) continue;
    page = await visitStudio(link);
    child.kill('SIGINT');
  }
  return { page, exit: await ended };
}
