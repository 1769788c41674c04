"""What plans the cases of all payout traps."""

from families.payout.tables import COMPUTED, TABLES
from families.payout.world import World, write_tables
from families.payout.world_builder import WorldBuilder
from trapcli.answers.edits.authoring.scenes import Planner

PLANNER: Planner[World] = Planner(TABLES, COMPUTED, WorldBuilder, write_tables)
