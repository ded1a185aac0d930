/** The package.json of a new project, or what an existing one lacks. */
import { basename } from 'node:path';
import { RowsmithError } from '../../../errors.js';
import { version } from '../../version.js';

type Section = 'scripts' | 'dependencies' | 'devDependencies';

const wanted: Readonly<Record<Section, Readonly<Record<string, string>>>> = {
  scripts: { start: 'tsc && node dist/src/main.js', generate: 'rowsmith generate' },
  dependencies: { rowsmith: `^${version()}` },
  // esbuild loads rowsmith.config.ts; typescript compiles the program.
  devDependencies: { '@types/node': '^20.19.0', esbuild: '^0.28.0', typescript: '^6.0.0' },
};

/** The text to write, and what it adds as `scripts.start`. */
export interface PackageJson {
  readonly text: string;
  readonly added: readonly string[];
}

/**
 * Adds scripts and packages; what is there already stays as it is, and so do order and indentation.
 */
export function packageJson(
  folder: string,
  file: string,
  existing: string | undefined,
): PackageJson {
  const json =
    existing === undefined
      ? { name: packageName(folder), version: '0.1.0', private: true, type: 'module' }
      : parse(file, existing);
  const whole: Record<string, unknown> = { ...json };
  const added: string[] = [];
  for (const [section, entries] of Object.entries(wanted)) {
    const there = (whole[section] ?? {}) as Readonly<Record<string, string>>;
    const missing = Object.entries(entries).filter(
      ([name]) => !(name in there) && !isInstalled(whole, section, name),
    );
    if (missing.length === 0) continue;
    whole[section] = { ...there, ...Object.fromEntries(missing) };
    added.push(...missing.map(([name]) => `${section}.${name}`));
  }
  const indent = /^([ \t]+)"/m.exec(existing ?? '')?.[1] ?? '  ';
  return {
    text:
      added.length === 0 && existing !== undefined
        ? existing
        : `${JSON.stringify(whole, undefined, indent)}\n`,
    added,
  };
}

/** A package may stand in the other list of dependencies. */
function isInstalled(
  json: Readonly<Record<string, unknown>>,
  section: string,
  name: string,
): boolean {
  return (
    section !== 'scripts' &&
    ['dependencies', 'devDependencies'].some((each) => Object.hasOwn(json[each] ?? {}, name))
  );
}

function parse(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const json = JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
    if (typeof json === 'object' && json !== null && !Array.isArray(json))
      return json as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new RowsmithError(
      'FILE_FAILED',
      {
        file,
        problem: `it is no JSON: ${(cause as Error).message}`,
        fix: 'correct it; nothing was written',
      },
      { cause },
    );
  }
  throw new RowsmithError('FILE_FAILED', {
    file,
    problem: 'it holds no object',
    fix: 'correct it; nothing was written',
  });
}

/** A name npm takes, from the name of the folder. */
function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' || name === 'rowsmith' ? 'readings' : name;
}
