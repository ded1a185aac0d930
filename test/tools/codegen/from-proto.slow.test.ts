/** Classes that are generated from .proto files, in programs of users. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromProto } from '../../../src/entities/proto/from-proto.js';
import { protoClassModules } from '../../../src/tools/codegen/proto/proto-class-module.js';
import { root, run } from '../../support/built-package.js';
import { modelOf } from './proto-files.js';
import { bundle, folder, write } from './proto-project.js';

describe('generated classes', () => {
  const programText = `
    import { defineEntity, fromProto, open, packed, rowKey } from 'rowsmith';
    class Row { id = ''; status?: object; }
    const Rows = defineEntity(Row, { table: 'rows', families: { s: {} }, key: rowKey('id'), segments: { id: { kind: 'string' } }, columns: { status: packed('s', fromProto('proto/telemetry.proto', 'Status')) } });
    async function main() {
      const db = await open('memory:', { entities: [Rows] });
      const rows = db.repository(Rows);
      await rows.save(rows.create({ id: 'a', status: { firmware: '1', position: { point: { lat: 1.5 } }, probes: new Map([['p', 2]]) } }));
      const { status } = (await rows.get({ id: 'a' }));
      console.log(status.constructor.name, status.firmware, status.position.point.lat, status.probes.get('p'), process.argv[2] ?? '');
      await db.close();
    }
    main();`;

  beforeAll(() => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      for (const file of protoClassModules([modelOf(fromProto('proto/telemetry.proto', 'Status'))]))
        write(file.path, String(file.content));
    } finally {
      process.chdir(before);
    }
  });

  test.each(['esm', 'cjs'] as const)(
    'in %s: the .proto file is read at run time, unless the generated module is imported',
    (format) => {
      const reading = bundle(`reading-${format}`, programText, format);
      expect(run(folder, process.execPath, [reading]).output).toBe('Status 1 1.5 2 \n');
      const generated = bundle(
        `generated-${format}`,
        `import './protos/telemetry.js';\n${programText}`,
        format,
      );
      // In a folder without the .proto file.
      expect(run(tmpdir(), process.execPath, [generated, 'generated']).output).toBe(
        'Status 1 1.5 2 generated\n',
      );
    },
  );

  // TypeScript 7, because it is fast; test/package compiles them with the other compilers.
  test('have types', () => {
    write(
      'typed.ts',
      `
      import { defineEntity, fromProto, Packed, packed, rowKey } from 'rowsmith';
      import type { Status as Generated } from './protos/telemetry.js';
      import { Status, Status_Alarm, Status_Mode } from './protos/telemetry.js';
      export class Row {
        @Packed('s', fromProto('proto/telemetry.proto', 'Status')) status?: Generated;
        // @ts-expect-error another type than the file has
        @Packed('s', fromProto('proto/telemetry.proto', 'Status')) wrong?: string;
        // @ts-expect-error a name that the file does not have
        @Packed('s', fromProto('proto/telemetry.proto', 'Statsu')) misspelt?: Generated;
        // No module was generated for this file.
        @Packed('s', fromProto('other.proto', 'Anything')) other?: object;
      }
      const status = new Status();
      const mode: 0 | 1 | 2 | -1 | undefined = status.mode;
      const places: Map<bigint, { at?: Date }> | undefined = status.places_by_id;
      const alarms: Status_Alarm[] | undefined = status.alarms;
      export const all = [mode, places, alarms, Status_Mode.MODE_AUTO, defineEntity, packed, rowKey] as const;
      export const statusClass: () => new () => Status = fromProto('proto/telemetry.proto', 'telemetry.Status');`,
    );
    write(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: {
          noEmit: true,
          strict: true,
          skipLibCheck: true,
          target: 'es2022',
          lib: ['es2023', 'es2024.string', 'esnext.disposable', 'esnext.decorators', 'decorators'],
          module: 'nodenext',
          isolatedModules: true,
          types: ['node'],
          typeRoots: [join(root, 'node_modules/@types')],
          paths: {
            rowsmith: [join(root, 'src/index.ts')],
            'rowsmith/wire': [join(root, 'src/wire.ts')],
          },
        },
        files: ['typed.ts'],
      }),
    );
    expect(
      run(folder, process.execPath, [
        join(root, 'node_modules/typescript7/bin/tsc'),
        '-p',
        '.',
        '--pretty',
        'false',
      ]).output,
    ).toBe('');
  });
});
