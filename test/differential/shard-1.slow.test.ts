/** One shard of the campaign: see describe-campaign.ts. */
import { describeCampaign } from './describe-campaign.js';

describeCampaign(0, 2);
