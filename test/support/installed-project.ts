/** Projects of users outside the repository, with the package that npm has installed. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installPackage, root } from './built-package.js';
import { writeFiles } from './linked-package.js';

/**
 * Makes a folder a project with a copy of the installed package, these files, and links to these
 * development tools of the repository.
 */
export function installedProject(
  folder: string,
  files: Readonly<Record<string, string>>,
  tools: readonly string[] = [],
): void {
  writeFiles(folder, files);
  installPackage(folder);
  const modules = join(folder, 'node_modules');
  for (const name of tools) {
    const tool = join(root, 'node_modules', name);
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(tool, join(modules, name));
    for (const [command, path] of commandsOf(name, tool))
      symlinkSync(join(tool, path), join(modules, '.bin', command));
  }
}

interface Tool {
  /** A path alone is the command with the name of the package. */
  readonly bin?: string | Readonly<Record<string, string>>;
}

function commandsOf(name: string, tool: string): readonly (readonly [string, string])[] {
  const { bin = {} } = JSON.parse(readFileSync(join(tool, 'package.json'), 'utf8')) as Tool;
  if (typeof bin === 'string') return [[name, bin]];
  return Object.entries(bin);
}
