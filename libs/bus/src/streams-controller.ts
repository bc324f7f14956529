import { type ServiceName, type StreamsStatus, streamsRpc } from '@almanac/contracts';
import { Controller, type Type } from '@nestjs/common';
import type { Bus } from './bus.js';
import { Rpc } from './rpc-server.js';
import { ownStreamsStatus } from './streams-status.js';

/** Answers for the streams and consumers of a service, which every service does for its own. */
export const streamsController = (bus: Bus, service: ServiceName): Type => {
  @Controller()
  class StreamsController {
    @Rpc(streamsRpc[service])
    streams(): Promise<StreamsStatus> {
      return ownStreamsStatus(bus);
    }
  }
  return StreamsController;
};
