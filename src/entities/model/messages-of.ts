/** The messages that an entity stores. */
import type { MessageShape } from '../../data/cell/index.js';
import type { EntityModel } from './model.js';

/** All message classes in the cells of the entity, each once; containing messages come first. */
export function messagesOf(model: Pick<EntityModel, 'columns'>): readonly MessageShape[] {
  const found = new Set<MessageShape>();
  const visit = (shape: MessageShape): void => {
    if (found.has(shape)) return;
    found.add(shape);
    for (const { type } of shape.fields) if (type.kind === 'message') visit(type.shape());
  };
  for (const { message } of model.columns) if (message !== undefined) visit(message);
  return [...found];
}
