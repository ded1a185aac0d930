/**
 * Jest's runtime, except that a worker compiles each module once. Jest itself compiles the 500
 * modules of rowsmith, and those of grpc-js, again for every test file. Only code is kept: modules
 * are executed for each test file in a separate context, so that test files share no state. Needed
 * because no option of Jest shares compiled code: 8 to 12 % of the processor time of the tests.
 */
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

// Otherwise V8 forgets the code of functions between two test files.
setFlagsFromString('--no-flush-bytecode');

/** Scripts by file, with the code that they are compiled from. */
const compiled = new Map();

module.exports = class SharedCodeRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor, _environment: environment, _testPath: testPath } = this;
    // Internals of Jest 30. Without them everything works, but takes longer.
    if (typeof executor?.compile !== 'function') return;
    if (!Array.isArray(executor.injectedModuleParameters)) return;
    const compile = executor.compile.bind(executor);
    const parameters = executor.injectedModuleParameters.join(', ');
    executor.compile = (code, file) => {
      const context = environment.getVmContext();
      if (context === null || file === testPath) return compile(code, file);
      let found = compiled.get(file);
      if (found?.code !== code) {
        try {
          const script = new Script(`(function (${parameters}) {${code}\n})`, { filename: file });
          found = { code, script };
        } catch {
          // Jest's own way reports what is wrong with the code.
          return compile(code, file);
        }
        compiled.set(file, found);
      }
      return found.script.runInContext(context);
    };
  }
};
