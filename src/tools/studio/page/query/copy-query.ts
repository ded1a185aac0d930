/** A query as code, for the clipboard. */
import type { StudioQuery } from '../../protocol/query.js';
import { call, failureOf } from '../net/client.js';
import { announce, copy } from '../state/notice.js';

export type Language = 'TypeScript' | 'cbt' | 'JSON';

export const languages: readonly Language[] = ['TypeScript', 'cbt', 'JSON'];

/** Copies a query; says why if that cannot be done. */
export async function copyQuery(query: StudioQuery, language: Language): Promise<void> {
  try {
    const text = await textOf(query, language);
    if (text === undefined) announce('cbt cannot read this in one command');
    else await copy(text, `the query as ${language}`);
  } catch (error) {
    const failure = failureOf(error);
    if (failure !== undefined) announce(failure.problem ?? failure.message);
  }
}

async function textOf(query: StudioQuery, language: Language): Promise<string | undefined> {
  if (language === 'JSON') return JSON.stringify(query, undefined, 2);
  const { typescript, cbt } = await call('typescript', { query });
  return language === 'cbt' ? cbt : typescript;
}
