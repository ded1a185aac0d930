/** Compiles program.ts as a project with this .swcrc does. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { transformFileSync } from '@swc/core';

const { code } = transformFileSync('program.ts');
mkdirSync('out/swc', { recursive: true });
writeFileSync('out/swc/program.js', code);
