/**
 * A plugin for Vite and Vitest that compiles standard decorators. Since Vite 8 they are left as
 * they are (vitejs/vite#22353, oxc-project/oxc#9170), and no JavaScript engine runs them yet. It
 * runs before Vite's own transform, which removes decorated fields without a value under some
 * tsconfigs.
 */
import type * as Esbuild from 'esbuild';
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import { referencedConfig } from './referenced-config.js';

/** The part of Vite's plugin interface that the plugin uses. */
export interface VitePlugin {
  readonly name: string;
  /** Runs before Vite's own transform of TypeScript. */
  readonly enforce: 'pre';
  /** The module with its decorators compiled, or null where Vite's own transform does it. */
  transform(code: string, id: string): Promise<{ code: string; map: string } | null>;
}

/**
 * The plugin: `plugins: [rowsmith()]` in vite.config.ts or vitest.config.ts. Both dialects work:
 * modules under a tsconfig.json with `experimentalDecorators` are left to Vite. Throws
 * MISSING_PACKAGE without esbuild.
 */
export function rowsmith(): VitePlugin {
  let esbuild: Promise<typeof Esbuild> | undefined;
  return {
    name: 'rowsmith',
    enforce: 'pre',
    async transform(code, id) {
      const path = id.replace(/[?#].*$/, '');
      const loader = loaderOf(path);
      if (loader === undefined || !code.includes('@')) return null;
      esbuild ??= loadEsbuild();
      const compiler = await esbuild;
      if ((await dialectOf(compiler, path)) !== 'standard') return null;
      return compiler.transform(code, {
        loader,
        jsx: 'preserve',
        target: 'es2022',
        sourcefile: path,
        sourcemap: 'external',
        tsconfigRaw: {},
      });
    },
  };
}

type Dialect = 'legacy' | 'standard';

function loaderOf(path: string): 'ts' | 'tsx' | undefined {
  if (path.includes('/node_modules/')) return undefined;
  if (/\.[cm]?ts$/.test(path)) return 'ts';
  if (path.endsWith('.tsx')) return 'tsx';
  return undefined;
}

/**
 * The dialect that a module's tsconfig.json asks for, `extends` and `references` included;
 * undefined for a module without decorators. esbuild reads the tsconfig of files only, so it
 * compiles the file once.
 */
async function dialectOf(compiler: typeof Esbuild, path: string): Promise<Dialect | undefined> {
  const { outputFiles } = await compiler.build({
    entryPoints: [path],
    target: 'es2022',
    tsconfig: referencedConfig(path),
    write: false,
    logLevel: 'silent',
  });
  const [{ text }] = outputFiles;
  if (text.includes('__decoratorStart')) return 'standard';
  if (text.includes('__decorateClass')) return 'legacy';
  return undefined;
}

async function loadEsbuild(): Promise<typeof Esbuild> {
  try {
    return await import('esbuild');
  } catch (cause) {
    throw new RowsmithError('MISSING_PACKAGE', faults.missingPackage, { cause });
  }
}

const faults = {
  missingPackage: {
    problem: 'rowsmith/vite compiles decorators with esbuild, which is not installed',
    fix: 'run npm install -D esbuild',
  },
} satisfies FaultTexts;
