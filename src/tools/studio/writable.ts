/** Whether the studio may change anything. */
import type { StudioContext } from './context.js';
import { StudioError } from './studio-error.js';

/** Throws READ_ONLY, with what to do. */
export function assertWritable({ session }: StudioContext): void {
  const { write } = session;
  if (write.allowed) return;
  throw new StudioError('READ_ONLY', { problem: write.reason, fix: write.fix });
}
