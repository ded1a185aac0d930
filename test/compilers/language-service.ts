/** TypeScript's language service, as an editor has it, for one program in the repository. */
import * as ts from 'typescript';
import { root } from '../support/built-package.js';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  experimentalDecorators: true,
  skipLibCheck: true,
  types: ['node'],
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.esnext.decorators.d.ts'],
};

/**
 * @param file The path of the program, which need not exist.
 * @param text Its text now: it may change from call to call.
 */
export function languageService(file: string, text: () => string): ts.LanguageService {
  let [version, known] = [0, text()];
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => {
      if (name !== file) return '0';
      if (text() !== known) [version, known] = [version + 1, text()];
      return String(version);
    },
    getScriptSnapshot: (name) => {
      const content = name === file ? text() : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (each) => ts.getDefaultLibFilePath(each),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => (name === file ? text() : ts.sys.readFile(name)),
    directoryExists: (name) => ts.sys.directoryExists(name),
  });
}
