/** What `rowsmith doctor` found. */

/** One examined thing. */
export interface Finding {
  /** What was examined: `node`, `config`, `data directory`. */
  readonly name: string;
  /**
   * `problem`: something will not work. `warning`: it works, and may surprise. `skipped`: it could
   * not be examined, because of an earlier problem or for want of a network.
   */
  readonly level: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly text: string;
  /** For warnings and problems. */
  readonly fix?: string;
}

export const ok = (name: string, text: string): Finding => ({ name, level: 'ok', text });
export const skipped = (name: string, text: string): Finding => ({ name, level: 'skipped', text });
export const warning = (name: string, text: string, fix: string): Finding => ({
  name,
  level: 'warning',
  text,
  fix,
});
export const problem = (name: string, text: string, fix: string): Finding => ({
  name,
  level: 'problem',
  text,
  fix,
});
