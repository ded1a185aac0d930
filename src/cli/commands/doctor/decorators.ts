/** The decorator settings of a project's tsconfig files. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type TypeScript from 'typescript';
import { loadFrom } from '../../project/load-module.js';
import { shortPath } from '../../terminal/error-text.js';
import { type Finding, ok, problem, skipped, warning } from './finding.js';

const name = 'tsconfig';

/** Settings of one tsconfig that matter to decorators. */
interface Settings {
  readonly file: string;
  readonly options: TypeScript.CompilerOptions;
}

/** Examines the tsconfig files that the sources use. */
export async function examineDecorators(
  folder: string,
  sources: readonly string[],
): Promise<readonly Finding[]> {
  const files = new Set(
    [folder, ...sources.map(dirname)].map(nearestConfig).filter((file) => file !== undefined),
  );
  if (files.size === 0) return [ok(name, 'no tsconfig.json: decorators are standard ones')];
  const ts = (await loadFrom(folder, 'typescript')) as Partial<typeof TypeScript> | undefined;
  if (ts === undefined)
    return [skipped(name, 'TypeScript is not installed in the project, which reads tsconfig.json')];
  const { version = '' } = ts;
  const found = [examineVersion(version)];
  if (typeof ts.parseJsonConfigFileContent !== 'function')
    return [...found, skipped(name, `TypeScript ${version} has no API that reads tsconfig.json`)];
  const all = [...files].map((file) => settingsOf(ts as typeof TypeScript, file));
  return [...found, ...mixture(all), ...all.flatMap(examineSettings)];
}

function examineVersion(version: string): Finding {
  if (Number.parseInt(version, 10) >= 5) return ok('typescript', `TypeScript ${version}`);
  return problem(
    'typescript',
    `TypeScript ${version} has no standard decorators, and Rowsmith's types need version 5`,
    'npm install -D typescript@5',
  );
}

function nearestConfig(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, 'tsconfig.json');
    if (existsSync(file)) return file;
    if (dirname(at) === at) return undefined;
  }
}

function settingsOf(ts: typeof TypeScript, file: string): Settings {
  const { config } = ts.readConfigFile(file, (path) => ts.sys.readFile(path)) as {
    readonly config?: unknown;
  };
  const host = { ...ts.sys, readDirectory: () => [] };
  return {
    file,
    options: ts.parseJsonConfigFileContent(config ?? {}, host, dirname(file)).options,
  };
}

function isLegacy({ options }: Settings): boolean {
  return options.experimentalDecorators === true;
}

/** Legacy and standard decorators in one project. */
function mixture(all: readonly Settings[]): readonly Finding[] {
  const legacy = all.filter(isLegacy);
  if (legacy.length === 0 || legacy.length === all.length) return [];
  const standard = all.filter((settings) => !isLegacy(settings));
  const paths = (files: readonly Settings[]) => files.map(({ file }) => shortPath(file)).join(', ');
  return [
    problem(
      name,
      `legacy decorators in ${paths(legacy)}, standard ones in ${paths(standard)}`,
      'set experimentalDecorators in all of them or in none',
    ),
  ];
}

function examineSettings(settings: Settings): readonly Finding[] {
  const { options, file } = settings;
  const path = shortPath(file);
  const found: Finding[] = [];
  if (options.emitDecoratorMetadata === true && !isLegacy(settings))
    found.push(
      warning(
        name,
        `${path}: emitDecoratorMetadata has no effect without experimentalDecorators`,
        'remove it and name the kinds (@Segment("string")), or set experimentalDecorators',
      ),
    );
  if (isLegacy(settings) && options.useDefineForClassFields === false)
    found.push(
      warning(
        name,
        `${path}: useDefineForClassFields is false, so that fields are assigned in the constructor`,
        'remove the setting, unless another library needs it',
      ),
    );
  if (found.length > 0) return found;
  return [ok(name, `${path}: ${isLegacy(settings) ? 'legacy' : 'standard'} decorators`)];
}
