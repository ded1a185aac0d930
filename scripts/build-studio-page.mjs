/**
 * Builds the page of the studio: static files, with names that change with their content.
 * `node scripts/build-studio-page.mjs FOLDER` builds it alone.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const source = join(root, 'src/tools/studio/page');

/** @param {string} folder */
export async function buildStudioPage(folder) {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { studio: join(source, 'main.tsx'), style: join(source, 'style/style.css') },
    outdir: folder,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    tsconfig: join(source, 'tsconfig.json'),
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [stylesAsText],
    logLevel: 'warning',
  });
  /** @param {string} entry */
  const nameOf = (entry) => {
    const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) =>
      entryPoint?.endsWith(entry),
    );
    if (found === undefined) throw new Error(`${entry} was not built`);
    return relative(folder, join(root, found[0]));
  };
  const icon = readFileSync(join(source, 'icon.svg'));
  const iconName = `assets/icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, iconName), icon);
  const html = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('ICON', iconName)
    .replace('STYLE', nameOf('style/style.css'))
    .replace('SCRIPT', nameOf('main.tsx'))
    .replace('PRELOADS', preloads(metafile, join(folder, nameOf('main.tsx')), folder));
  writeFileSync(join(folder, 'index.html'), html);
}

/**
 * Links to what a file imports at once, so that it is loaded together with the file.
 * @param {import('esbuild').Metafile} metafile
 * @param {string} file
 * @param {string} folder
 */
function preloads({ outputs }, file, folder) {
  const { imports } = outputs[relative(root, file)];
  return imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="${relative(folder, join(root, path))}" />`)
    .join('');
}

/** Styles that a module imports are text: it puts them into a shadow root. */
const stylesAsText = {
  name: 'styles-as-text',
  /** @param {import('esbuild').PluginBuild} setup */
  setup(setup) {
    setup.onLoad({ filter: /page\/browser\/page\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8'),
      loader: 'text',
    }));
  },
};

if (process.argv[2] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await buildStudioPage(resolve(process.argv[2]));
