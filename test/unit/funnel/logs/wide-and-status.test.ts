import { describe, expect, test } from '@jest/globals';
import { differentTemplates } from './templates.ts';

describe('texts of other systems', () => {
  test('a gRPC status ends in free text', () => {
    const lines = ['context canceled', 'volume is attached to another node', 'could not attach'].map(
      (text) => `call failed: rpc error: code = Internal desc = ${text}`,
    );
    expect(differentTemplates(lines)).toEqual(['call failed: rpc error: code =<*> desc =<*>']);
  });

  test('other assignments with spaces take one word', () => {
    expect(differentTemplates(['state = busy after all'])).toEqual(['state =<*> after all']);
  });

  test('wide punctuation parts words as the narrow kind does', () => {
    const lines = ['库存不足', '超时未支付', '用户主动取消', '不想要了'].map(
      (reason) => `订单 17 已取消，原因：${reason}`,
    );
    expect(differentTemplates(lines)).toEqual(['订单 <*> 已取消，原因：<*>']);
  });
});
