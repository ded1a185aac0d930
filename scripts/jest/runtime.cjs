/**
 * Jest's runtime, except that a worker finds, reads and compiles each module once. Jest itself does
 * so with the 500 modules of rowsmith, and those of grpc-js, again for every test file. Only paths
 * and code are kept: modules are executed for each test file in a separate context, so that test
 * files share no state. Needed because no option of Jest does it: loading its modules was a fifth of
 * the processor time of `npm test`.
 *
 * No AsyncLocalStorage is left enabled: Node 20 then runs a hook for each promise of the process,
 * a fifth of the processor time of suites of repositories.
 *
 * With PROCESSOR_TIME=FILE it also measures (processor-time.cjs), and with FUNCTION_COVERAGE=FILE it
 * records which functions run (function-coverage.cjs).
 */
const { statSync } = require('node:fs');
const { dirname } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');
const ProcessorTime = require('./processor-time.cjs');
const SequentialStorage = require('./sequential-storage.cjs');

// Otherwise V8 forgets the code of functions between two test files.
setFlagsFromString('--no-flush-bytecode');
// V8 of Node 20 optimizes a function after 66 kB of executed bytecode, for one context alone. Most
// test files end before that pays: with a larger budget, suites of keys, queries, derived rows and
// transfers took a quarter less processor time. Later versions have other flags, and are not tuned.
if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=1000000');

// A worker that has nothing left to do ends at once, without freeing its heap. Jest reported workers
// that had no open handle, and had emitted `exit`, as not exiting within half a second.
if (process.send !== undefined) process.once('beforeExit', () => process.exit());

/** Scripts by file, with the code that they are compiled from. */
const compiled = new Map();
/** Transformed code by file, with the time at which the file was last changed. */
const transformed = new Map();
const { recordFunctions } = process.env.FUNCTION_COVERAGE ? require('./function-coverage.cjs') : {};
/** The resolvers with paths that are kept: watch mode makes new ones after a change. */
const keepingResolvers = new WeakSet();

module.exports = class SharedCodeRuntime extends Runtime {
  #time = process.env.PROCESSOR_TIME ? new ProcessorTime() : undefined;
  #asyncHooks;
  /** Storages of this test file. */
  #storages = [];

  constructor(...args) {
    super(...args);
    const [, , resolver] = args;
    const { executor, transformCache, _environment: environment, _testPath: testPath } = this;
    // Internals of Jest 30. Without them everything works, but takes longer.
    keepPaths(resolver);
    if (transformCache?.transforms instanceof Map) keepTransformed(transformCache, testPath);
    if (typeof executor?.compile !== 'function') return;
    if (!Array.isArray(executor.injectedModuleParameters)) return;
    keepCompiled(executor, environment, testPath);
    this.#time?.countModules(executor);
  }

  requireModule(from, name, options, ...rest) {
    const module = super.requireModule(from, name, options, ...rest);
    if (from === this._testPath && name === undefined) this.#time?.loaded();
    if (name !== 'node:async_hooks' && name !== 'async_hooks') return module;
    if (options?.isInternalModule === true)
      return { ...module, AsyncLocalStorage: SequentialStorage };
    this.#asyncHooks ??= { ...module, AsyncLocalStorage: listed(this.#storages, module) };
    return this.#asyncHooks;
  }

  teardown() {
    this.#time?.ended(this._config.displayName.name, this._testPath);
    recordFunctions?.(this._config.rootDir, this._testPath, (file) => {
      const mapFile = transformed.get(file)?.sourceMap;
      return mapFile && compiled.has(file) ? { ...compiled.get(file), mapFile } : undefined;
    });
    for (const storage of this.#storages) storage.disable();
    super.teardown();
  }
};

/** AsyncLocalStorage: its instances are kept, so that they can be disabled. */
function listed(storages, { AsyncLocalStorage }) {
  return class extends AsyncLocalStorage {
    constructor(...args) {
      super(...args);
      storages.push(this);
    }
  };
}

/** Keeps what a name means in a folder. Jest asks the file system for each `require`, twice. */
function keepPaths(resolver) {
  if (keepingResolvers.has(resolver)) return;
  keepingResolvers.add(resolver);
  for (const method of ['resolveStubModuleName', 'resolveModule']) {
    if (typeof resolver[method] !== 'function') continue;
    const resolve = resolver[method].bind(resolver);
    const paths = new Map();
    resolver[method] = (from, name, options) => {
      const key = `${dirname(from)}\0${name}\0${options?.conditions ?? ''}`;
      let path = paths.get(key);
      if (path === undefined) paths.set(key, (path = resolve(from, name, options)));
      return path;
    };
  }
}

/** Keeps the code of modules until their files change. All projects have the same transform. */
function keepTransformed(cache, testPath) {
  const transform = cache.transform.bind(cache);
  cache.transform = (file, options) => {
    if (file === testPath) return transform(file, options);
    const isInternal = options?.isInternalModule === true;
    const key = isInternal ? `internal ${file}` : file;
    // Packages do not change while tests run.
    const changed = file.includes('/node_modules/') ? 0 : statSync(file).mtimeMs;
    let found = transformed.get(key);
    if (found?.changed !== changed) {
      const code = transform(file, options);
      const [result, sourceMap] = [cache.transforms.get(file), cache.sourceMaps.get(file)];
      found = { changed, code, result, sourceMap };
      transformed.set(key, found);
    } else if (!isInternal) {
      cache.transforms.set(file, found.result);
      if (found.sourceMap) cache.sourceMaps.set(file, found.sourceMap);
    }
    return found.code;
  };
}

/** Keeps compiled modules, which each test file executes in its own context. */
function keepCompiled(executor, environment, testPath) {
  const compile = executor.compile.bind(executor);
  const parameters = executor.injectedModuleParameters.join(', ');
  executor.compile = (code, file) => {
    const context = environment.getVmContext();
    if (context === null || file === testPath) return compile(code, file);
    let found = compiled.get(file);
    if (found?.code !== code) {
      try {
        const opening = `(function (${parameters}) {`;
        const script = new Script(`${opening}${code}\n})`, { filename: file });
        found = { code, codeStart: opening.length, script };
      } catch {
        // Jest's own way reports what is wrong with the code.
        return compile(code, file);
      }
      compiled.set(file, found);
    }
    return found.script.runInContext(context);
  };
}
