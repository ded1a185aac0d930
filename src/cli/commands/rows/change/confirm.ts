/** Questions before something is written. */
import type { FaultTexts } from '../../../../base/index.js';
import { type CommandContext, flag, urlOption, UsageError } from '../../../command.js';
import type { Terminal } from '../../../terminal/terminal.js';

/** The options of commands that write. */
export const writeOptions = {
  yes: flag('Write without a question; needed where nobody can be asked'),
  'dry-run': flag('Show what would change; write nothing'),
  url: urlOption,
};

/** Whether a command writes, and whether it asks. */
export interface Consent {
  readonly yes: boolean;
  readonly dryRun: boolean;
}

/** The consent that options give. Throws UsageError if a question is needed and impossible. */
export function readConsent(
  { yes, dryRun }: Consent,
  { name, terminal }: Pick<CommandContext, 'name' | 'terminal'>,
  canAsk = terminal.canAsk,
): Consent {
  if (!yes && !dryRun && !canAsk) throw new UsageError(faults.confirmationNeeded(name));
  return { yes, dryRun };
}

/** Whether to write: without a question, or by its answer. */
export async function isAgreed(
  terminal: Terminal,
  { yes, dryRun }: Consent,
  question: string,
): Promise<boolean> {
  if (dryRun) {
    terminal.note('nothing was written: --dry-run');
    return false;
  }
  if (yes) return true;
  const agreed = await terminal.confirm(question);
  if (!agreed) terminal.note('nothing was written');
  return agreed;
}

const faults = {
  confirmationNeeded: (name: string) => ({
    problem: `${name} needs --yes where nobody can be asked; --dry-run shows what would change`,
  }),
} satisfies FaultTexts;
