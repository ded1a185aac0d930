/** The package.json of a new project, and additions to an existing one. */
import { basename } from 'node:path';
import { RowsmithError, type FaultTexts, isRecord } from '../../../base/index.js';
import { version } from '../../version.js';

type Section = 'scripts' | 'dependencies' | 'devDependencies';
type Json = Readonly<Record<string, unknown>>;

/** Scripts and packages of every project. esbuild loads rowsmith.config.ts. */
const required: Readonly<Record<Section, Readonly<Record<string, string>>>> = {
  scripts: { generate: 'rowsmith generate' },
  dependencies: { rowsmith: `^${version()}` },
  devDependencies: { '@types/node': '^20.19.0', esbuild: '^0.28.0', typescript: '^6.0.0' },
};

/** The script that `npm init` writes for want of one; it fails. */
const npmPlaceholder = 'echo "Error: no test specified" && exit 1';

/** The text to write, and the names of what it adds: `scripts.start`. */
export interface PackageJson {
  readonly text: string;
  readonly added: readonly string[];
}

/** The content of package.json in a folder; a new one if `existing` is undefined. */
export function readPackageJson(folder: string, file: string, existing: string | undefined): Json {
  if (existing !== undefined) return parse(file, existing);
  return { name: packageName(folder), version: '0.1.0', private: true, type: 'module' };
}

/**
 * Adds packages and scripts, `scripts` before the scripts of every project. Existing entries, their
 * order and the indentation are kept, except npm's placeholder for a script that is to be added.
 */
export function packageJson(
  content: Json,
  existing: string | undefined,
  scripts: Readonly<Record<string, string>>,
): PackageJson {
  const json: Record<string, unknown> = { ...content };
  const added: string[] = [];
  const needed = { ...required, scripts: { ...scripts, ...required.scripts } };
  for (const [section, entries] of Object.entries(needed)) {
    const present = (json[section] ?? {}) as Readonly<Record<string, string>>;
    const isThere = (name: string): boolean => {
      if (section === 'scripts') return name in present && present[name] !== npmPlaceholder;
      return name in present || isListed(json, name);
    };
    const missing = Object.entries(entries).filter(([name]) => !isThere(name));
    if (missing.length === 0) continue;
    json[section] = { ...present, ...Object.fromEntries(missing) };
    added.push(...missing.map(([name]) => `${section}.${name}`));
  }
  if (added.length === 0 && existing !== undefined) return { text: existing, added };
  const indent = /^([ \t]+)"/m.exec(existing ?? '')?.[1] ?? '  ';
  return { text: `${JSON.stringify(json, undefined, indent)}\n`, added };
}

/** Whether package.json lists a package, as a dependency of either kind. */
export function isListed(json: Json, name: string): boolean {
  return ['dependencies', 'devDependencies'].some((each) => Object.hasOwn(json[each] ?? {}, name));
}

function parse(file: string, text: string): Record<string, unknown> {
  const fix = 'correct it; nothing was written';
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    const problem = `it is not JSON: ${(cause as Error).message}`;
    throw new RowsmithError('FILE_FAILED', { file, problem, fix }, { cause });
  }
  if (!isRecord(json)) throw new RowsmithError('FILE_FAILED', { file, ...faults.notAnObject(fix) });
  for (const section of Object.keys(required))
    if (section in json && !isRecord(json[section]))
      throw new RowsmithError('FILE_FAILED', { file, ...faults.sectionNotAnObject(section, fix) });
  return json;
}

/** A valid package name from the name of the folder. */
function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  if (name === '' || name === 'rowsmith') return 'readings';
  return name;
}

const faults = {
  notAnObject: (fix: string) => ({ problem: 'it is not a JSON object', fix }),
  sectionNotAnObject: (section: string, fix: string) => ({
    problem: `${section} is not an object`,
    fix,
  }),
} satisfies FaultTexts;
