import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { alertOf, alertsOf, type TestAlert } from './alerts.ts';
import { inHouse, type House } from './house.ts';
import type { Outcome, Trial } from './scenario.ts';
import { answersWith } from './sender.ts';
import { standby } from './standby.ts';
import { drain } from './vital-signs.ts';

const ALERTS_A_KILL = 8;
const AHEAD = 3;
/** Where nothing is answered for so long, it is killed all the same. */
const LATEST_KILL_MS = 5000;

/** R8: kill -9 of the receiver with requests under way, half of one's body sent, and a sender that tries again. */
export function killReceiver({ counts, random, topology, say }: Trial): Promise<Outcome> {
  return inHouse({ random, topology }, async (house) => {
    // Each has a port of its own, so the next one is there when it is needed; the sender meets closed ports until it is.
    const startNext = standby(counts.receiverKills + 1, AHEAD, async () =>
      house.start('serve', { PORT: String(await freePort()) }),
    );
    let door = await startNext();
    await house.start('work');
    const sending: Promise<unknown>[] = [];
    for (let kill = 1; kill <= counts.receiverKills; kill++) {
      house.door = door;
      const half = await sendHalf(door.url, alertOf(`half-${kill}`));
      const volley = alertsOf(`volley-${kill}`, ALERTS_A_KILL);
      sending.push(house.sender.sendAll(volley, ALERTS_A_KILL));
      await untilTaken(house, Math.floor(random() * ALERTS_A_KILL));
      await door.kill();
      half.destroy();
      sending.push(house.sender.send(alertOf(`half-${kill}`)));
      door = await startNext();
      if (kill % 10 === 0) say(`${kill} kills of the receiver, ${house.sender.taken()} alerts taken in`);
    }
    house.door = door;
    await Promise.all(sending);
    await drain(house);
    const { ledger } = house.sender;
    return {
      seen: {
        kills: counts.receiverKills,
        alerts: ledger.length,
        'requests cut': answersWith(ledger, undefined),
        'alerts sent again': ledger.filter(({ answers }) => answers.length > 1).length,
        reports: house.board.reports('webhook').size,
      },
      failures: await house.vitalSigns(),
    };
  });
}

/** Returns when so many more were answered: of the others, some are stored and not answered then, some not read. */
async function untilTaken({ sender }: House, count: number): Promise<void> {
  const due = sender.taken() + count;
  const latestMs = Date.now() + LATEST_KILL_MS;
  while (sender.taken() < due && Date.now() < latestMs) await sleep(1);
}

/** A request whose body stops in its middle; resolves when that much is on its way. */
async function sendHalf(url: string, { body }: TestAlert): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  const head = [
    'POST /webhooks/alertmanager HTTP/1.1',
    `Host: ${hostname}:${port}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const half = `${head.join('\r\n')}\r\n\r\n${body.slice(0, body.length / 2)}`;
  await new Promise<void>((resolve) => socket.write(half, () => resolve()));
  return socket;
}
