import { describe, expect, test } from '@jest/globals';
import type { ExternalTool } from '../../../src/agent/toolbox.ts';
import { withMcpTools } from '../../../src/app/open-mcp.ts';
import { NO_TELEMETRY } from '../../../src/domain/telemetry.ts';
import type { InvestigationParts } from '../../../src/investigate/run.ts';
import type { OpenTools } from '../../../src/mcp/servers.ts';
import { INCIDENT } from '../../support/agent-case.ts';
import { scriptedModel } from '../../support/scripted-model.ts';

const WINDOW = { fromMs: 0, toMs: 1, baselineMs: 1 };
const never = new AbortController().signal;
const LOOKUP: ExternalTool = {
  forSubAgents: true,
  tool: {
    name: 'mcp__wiki__lookup',
    description: 'looks up',
    inputSchema: { type: 'object' },
    run: () => Promise.reject(new Error('not called')),
  },
};
const GAP = { source: 'mcp:wiki', message: 'the MCP server cannot be used' };

function partsWith(gather: InvestigationParts['gather']): InvestigationParts {
  return { toolbox: { providers: [] }, model: scriptedModel([]), gather } as unknown as InvestigationParts;
}

describe('tools of MCP servers', () => {
  test('are opened while the telemetry is read, which does not wait for them; agents do, and learn what is not there', async () => {
    let reading = () => {};
    const begun = new Promise<void>((resolve) => (reading = resolve));
    const own = { source: 'loki', message: 'refused' };
    const parts = partsWith(() => {
      reading();
      return Promise.resolve({ ...NO_TELEMETRY, gaps: [own] });
    });
    // The servers answer only once the reading has begun: opened before it, they would never be.
    const open: OpenTools = async () => {
      await begun;
      return { external: [LOOKUP], gaps: [GAP] };
    };
    const equipped = withMcpTools(parts, open, never);
    const { gaps } = await equipped.gather(INCIDENT, WINDOW, never);
    expect(gaps).toEqual([own]);
    expect(await equipped.equip?.()).toEqual([GAP]);
    expect(await equipped.toolbox.external?.()).toEqual([LOOKUP]);
  });

  test('are there for an investigation that goes on and reads nothing; they are opened once', async () => {
    let opened = 0;
    const open: OpenTools = () => {
      opened++;
      return Promise.resolve({ external: [LOOKUP], gaps: [] });
    };
    const { toolbox } = withMcpTools(
      partsWith(() => Promise.reject(new Error('read'))),
      open,
      never,
    );
    await toolbox.external?.();
    expect(await toolbox.external?.()).toEqual([LOOKUP]);
    expect(opened).toBe(1);
  });

  test('who is stopped meanwhile has none; what else goes wrong is told to whoever waits', async () => {
    const stop = new AbortController();
    stop.abort(new Error('stop'));
    const failing: OpenTools = (signal) => Promise.reject((signal.reason as Error | undefined) ?? new Error('a bug'));
    const none = partsWith(() => Promise.resolve(NO_TELEMETRY));
    expect(await withMcpTools(none, failing, stop.signal).toolbox.external?.()).toEqual([]);
    const broken = withMcpTools(none, failing, never);
    await expect(broken.toolbox.external?.()).rejects.toThrow('a bug');
    await expect(broken.equip?.()).rejects.toThrow('a bug');
  });
});
