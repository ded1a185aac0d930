/** Finds files by a glob; Node 20 has no function for it. */
import { readdirSync, type Dirent } from 'node:fs';
import { join, posix, sep } from 'node:path';

const wildcard = /[*?{]/;

/** A glob with `*`, `**`, `?` and `{a,b}` as a regular expression for paths with `/`. */
function globPattern(glob: string): RegExp {
  let braces = 0;
  const source = glob.replace(/\*\*\/|\*\*|[*?{},]|[.+^$()|[\]\\]/g, (part) => {
    switch (part) {
      case '**/':
        return '(?:[^/]+/)*';
      case '**':
        return '.*';
      case '*':
        return '[^/]*';
      case '?':
        return '[^/]';
      case '{':
        braces++;
        return '(?:';
      case '}':
        if (braces === 0) return '\\}';
        braces--;
        return ')';
      case ',':
        if (braces === 0) return ',';
        return '|';
      default:
        return `\\${part}`;
    }
  });
  return new RegExp(`^${source}$`, 'u');
}

/**
 * The files that match the glob, relative to `folder`; absolute, sorted by path. Type declarations
 * (.d.ts), node_modules and folders with a leading dot are left out.
 */
export function findFiles(folder: string, glob: string): string[] {
  const path = posix.normalize(glob.replaceAll('\\', '/'));
  const parts = path.split('/');
  const firstWild = parts.findIndex((part) => wildcard.test(part));
  // Without a wildcard the last part is a plain file name.
  const split = firstWild < 0 ? parts.length - 1 : firstWild;
  const base = join(folder, ...parts.slice(0, split));
  const pattern = globPattern(parts.slice(split).join('/'));
  const deep = path.includes('**') || parts.length - split > 1;
  return listFiles(base, '', deep)
    .filter((name) => pattern.test(name) && !/\.d\.[cm]?ts$/.test(name))
    .sort()
    .map((name) => join(base, ...name.split('/')));
}

function listFiles(base: string, below: string, deep: boolean): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(join(base, below.replaceAll('/', sep)), { withFileTypes: true });
  } catch {
    // The folder does not exist: nothing matches, which the caller reports.
    return [];
  }
  return entries.flatMap((entry) => {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (!entry.isDirectory()) return [name];
    if (!deep || entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
    return listFiles(base, name, deep);
  });
}
