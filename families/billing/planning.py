"""What the trap kinds of billing share: how a scene becomes a case."""

from families.billing.sketch import Sketch
from families.billing.tables import COMPUTED, TABLES
from families.billing.world import World, corrected
from trapcli.edits.scenes import Stage

STAGE: Stage[World] = Stage(TABLES, COMPUTED, Sketch, corrected)
