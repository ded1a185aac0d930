/** The instance that scripts and definitions are for, as the config's url says it. */

/** A project and an instance; undefined where the url names none. */
export interface NamedInstance {
  readonly project?: string;
  readonly instance?: string;
}

/** The parts of `bigtable://project/instance`; nothing of any other url. */
export function instanceOf(url: string | undefined): NamedInstance {
  const [, project, instance] = /^bigtable:\/\/([^/?#]+)\/([^/?#]+)/.exec(url ?? '') ?? [];
  return project === undefined ? {} : { project, instance };
}

/**
 * The head of a shell script: it stops at the first failure, and takes PROJECT and INSTANCE from
 * the environment.
 */
export function scriptHead(
  comments: readonly string[],
  { project, instance }: NamedInstance,
): readonly string[] {
  const variable = (name: string, value: string | undefined): string =>
    value === undefined
      ? `: "\${${name}:?set ${name}}"`
      : `: "\${${name}:=${value.replace(/[^\w.:-]/g, '')}}"`;
  return [
    '#!/bin/sh',
    ...comments.map((comment) => `# ${comment}`),
    'set -eu',
    variable('PROJECT', project),
    variable('INSTANCE', instance),
  ];
}

/** One word of a shell command. */
export function shellWord(text: string): string {
  return /^[\w.:/=@,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
