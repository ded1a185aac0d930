/** The instance that scripts and definitions are for, from the URL of the config. */

import { commentLine } from '../comment-line.js';

/** A project and an instance; undefined when the URL does not name them. */
export interface NamedInstance {
  readonly project?: string;
  readonly instance?: string;
}

/** The parts of `bigtable://project/instance`; both undefined for any other URL. */
export function instanceOf(url: string | undefined): NamedInstance {
  const [, project, instance] = /^bigtable:\/\/([^/?#]+)\/([^/?#]+)/.exec(url ?? '') ?? [];
  return { project, instance };
}

/**
 * The head of a shell script: it stops at the first failure, and takes PROJECT and INSTANCE from
 * the environment.
 */
export function scriptHead(
  comments: readonly string[],
  { project, instance }: NamedInstance,
): readonly string[] {
  return [
    '#!/bin/sh',
    ...comments.map((comment) => commentLine('#', comment)),
    'set -eu',
    environmentVariable('PROJECT', project),
    environmentVariable('INSTANCE', instance),
  ];
}

/** Sets the variable to its default; without one, the script stops if the variable is not set. */
function environmentVariable(name: string, value: string | undefined): string {
  if (value === undefined) return `: "\${${name}:?set ${name}}"`;
  return `: "\${${name}:=${value.replace(/[^\w.:-]/g, '')}}"`;
}

/** One word of a shell command, quoted if necessary. */
export function shellWord(text: string): string {
  if (/^[\w.:/=@,-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
