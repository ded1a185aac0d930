/** Warns of lost data and failing calls, by rules of `lint` that are loaded when first applied. */
import type { EntityModel } from '../../model/index.js';
import { errorMessage } from '../../../base/index.js';

/** On the process, because an application may load Rowsmith both as ESM and as CommonJS. */
const warnedSymbol = Symbol.for('rowsmith.lintWarned');

/**
 * Warns once per process of declarations that will lose data or make calls fail; everything else is
 * left to `rowsmith lint`. Does nothing if NODE_ENV is `production` or `test`. Never rejects: the
 * entities are valid, whatever is wrong here.
 */
export async function warnOfFindings(models: readonly EntityModel[]): Promise<void> {
  const environment = process.env['NODE_ENV'];
  if (environment === 'production' || environment === 'test') return;
  const warned = process as unknown as Record<symbol, boolean | undefined>;
  if (warned[warnedSymbol] === true) return;
  try {
    const { lossesOf } = await import('../../../tools/lint/at-open.js');
    const findings = lossesOf(models);
    if (findings.length === 0) return;
    warned[warnedSymbol] = true;
    warn([...shown(findings), advice].join('\n'));
  } catch (error) {
    warned[warnedSymbol] = true;
    warn(`lint failed: ${errorMessage(error)}`);
  }
}

const maxShown = 5;
const advice =
  'rowsmith lint lists all findings, and rowsmith lint --explain RULE the reasons; ' +
  '@LintIgnore(RULE, reason) or open(url, { lint: false }) silences them';

function shown(findings: readonly string[]): readonly string[] {
  if (findings.length <= maxShown) return findings;
  return [...findings.slice(0, maxShown), `and ${findings.length - maxShown} more`];
}

function warn(text: string): void {
  process.emitWarning(text, { type: 'RowsmithWarning', code: 'ROWSMITH_LINT' });
}
