/** Files that a glob names. Node 20 has none of its own. */
import { readdirSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

/** What makes a path a glob. */
const wild = /[*?{]/;

/** A glob with `*`, `**`, `?` and `{a,b}` as an expression over paths with `/`. */
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
        return braces-- > 0 ? ')' : '\\}';
      case ',':
        return braces > 0 ? '|' : ',';
      default:
        return `\\${part}`;
    }
  });
  return new RegExp(`^${source}$`, 'u');
}

/**
 * The files below `folder` that the glob names, sorted by path; absolute. Declarations (.d.ts),
 * node_modules and folders with a leading dot are left out.
 */
export function filesOf(folder: string, glob: string): string[] {
  const path = posix.normalize(glob.replaceAll('\\', '/'));
  const parts = path.split('/');
  const plain = parts.findIndex((part) => wild.test(part));
  const base = join(folder, ...parts.slice(0, plain < 0 ? parts.length - 1 : plain));
  const pattern = globPattern(plain < 0 ? parts[parts.length - 1] : parts.slice(plain).join('/'));
  const deep = plain >= 0 && (path.includes('**') || parts.length - plain > 1);
  return walk(base, '', deep)
    .filter((name) => pattern.test(name) && !/\.d\.[cm]?ts$/.test(name))
    .sort()
    .map((name) => join(base, ...name.split('/')));
}

function walk(base: string, below: string, deep: boolean): string[] {
  let entries;
  try {
    entries = readdirSync(join(base, below.replaceAll('/', sep)), { withFileTypes: true });
  } catch {
    // Not there: nothing matches, which the caller tells.
    return [];
  }
  return entries.flatMap((entry) => {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory())
      return deep && entry.name !== 'node_modules' && !entry.name.startsWith('.')
        ? walk(base, name, deep)
        : [];
    return [name];
  });
}
