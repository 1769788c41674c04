"""What plans the cases of all billing traps."""

from families.billing.company.world import World, write_tables
from families.billing.company.world_builder import WorldBuilder
from families.billing.tables import COMPUTED, TABLES
from trapcli.answers.edits.authoring.scenes import Planner

PLANNER: Planner[World] = Planner(TABLES, COMPUTED, WorldBuilder, write_tables)
