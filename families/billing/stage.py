"""What the trap kinds of billing share: how a scene becomes a case."""

from families.billing.tables import COMPUTED, TABLES
from families.billing.world import World, corrected
from families.billing.world_builder import Sketch
from trapcli.answers.edits.authoring.scenes import Stage

STAGE: Stage[World] = Stage(TABLES, COMPUTED, Sketch, corrected)
