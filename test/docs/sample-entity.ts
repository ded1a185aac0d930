/** Compiles the entity in the first sample of a guide. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import * as rowsmith from '../../src/index.js';
import { buildModel, type EntityModel } from '../../src/entities/model/index.js';

/** A fenced block of a guide. */
export interface Block {
  readonly language: string;
  readonly block: string;
}

/** A guide with its fenced blocks and the model of `Reading`, which its first sample declares. */
export function guideOf(name: string): {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly model: EntityModel;
} {
  const text = readFileSync(join(__dirname, '../../docs/guide', name), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, block]) => ({
    language,
    block,
  }));
  return {
    text,
    blocks,
    model: buildModel(readingOf(blocks.find(({ language }) => language === 'ts')!.block)),
  };
}

function readingOf(source: string): new () => object {
  const compilerOptions = {
    module: ts.ModuleKind.CommonJS,
    target: ts.ScriptTarget.ES2022,
    experimentalDecorators: true,
    esModuleInterop: true,
  };
  const { outputText } = ts.transpileModule(`${source}\nexport { Reading };`, { compilerOptions });
  const exported: { Reading?: new () => object } = {};
  const load = (name: string): unknown => {
    if (name === 'rowsmith') return rowsmith;
    return createRequire(__filename)(name);
  };
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function('exports', 'require', outputText)(exported, load);
  return exported.Reading!;
}
